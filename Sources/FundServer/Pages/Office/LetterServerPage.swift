internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Turning letters on: a form whose answers are tried at the mail server before they are written.
    static let letterServerRoutes: [PageRoute] = [
        .office("/office/outbox/server") { call in
            let isSetup = try call.query()["setup"] != nil
            // One server; another is a change of the configuration.
            guard call.parts.letterServer() == nil else {
                return call.redirect(to: isSetup ? "/desk" : "/office/outbox")
            }
            return try call.page(LetterServerForm(isSetup: isSetup).model(call.words), isSetup: isSetup)
        },
        .officeAct("/office/outbox/server") { call, form in
            // It connects to the server that it is told, with the password.
            try call.context.requireSecrecy()
            let server = try LetterServerForm(form, call)
            let answer = await call.pages.setup.addLetterServer(server.proposal, form["keep"] != nil) {
                await call.isStillAdministrator()
            }
            if case .added(let name, _) = answer {
                try await call.accounts.audit(
                    actor: try call.user.email, action: .outboxServer, subject: name, detail: server.proposal.from)
            }
            return try server.answered(answer, call)
        }.proven,
    ]
}

extension PageCall {
    fileprivate func page(
        _ model: PageModel, isSetup: Bool, status: HTTPResponse.Status = .ok, title: String? = nil
    ) throws -> Response {
        var model = model
        model["isSetup"] = isSetup
        model["atOutbox"] = true
        model["tryText"] = words("letterserver.try", words.isolated(try user.email))
        guard !isSetup else { return setupPage("letterserver", model, at: .letters, status: status) }
        model["isOffice"] = true
        return page("letterserver", model, title: title ?? words("letterserver.title"), status: status, isKept: false)
    }
}

/// The fields of the form of the server for letters.
private struct LetterServerForm {
    private static let kind = ServerFields.Kind(
        schemes: ["smtps", "smtp", "local"], names: ["smtps": "SMTP · TLS", "smtp": "SMTP · STARTTLS"],
        seal: "password of the server for letters")

    private(set) var proposal = LetterServerProposal()
    /// Nil in the empty form.
    private var fields: ServerFields?
    private var sendsLetter = true
    private let isSetup: Bool

    init(isSetup: Bool) { self.isSetup = isSetup }

    /// Throws 400 for a protocol that is none.
    init(_ form: FieldText, _ call: PageCall) throws {
        isSetup = form["setup"] != nil
        let fields = try ServerFields(form, of: Self.kind, call)
        self.fields = fields
        (proposal.scheme, proposal.port, proposal.password) = (fields.scheme, fields.port, fields.password)
        (proposal.host, proposal.user) = (form["host"] ?? "", form["user"] ?? "")
        (proposal.from, proposal.authority) = ((form["from"] ?? "").trimmed, form["authority"] ?? "")
        sendsLetter = form["try"] != nil
        proposal.recipient = sendsLetter ? try call.user.email : nil
    }

    func model(_ words: Words) -> PageModel {
        [
            "host": proposal.host, "port": fields?.typedPort ?? "", "login": proposal.user, "from": proposal.from,
            "authority": proposal.authority, "sendsLetter": sendsLetter,
            "isOpen": !proposal.authority.isEmpty || fields?.typedPort.isEmpty == false,
            "schemes": Self.kind.choice(proposal.scheme, other: words("letterserver.local")),
        ]
    }

    func answered(_ answer: LetterServerAnswer, _ call: PageCall) throws -> Response {
        var model = model(call.words)
        model["sealed"] = try fields?.sealedPassword(call)
        if case .wrong(let field) = answer {
            let isLocal = field == .host && proposal.scheme == "local"
            model = model.failed(
                call.words("letterserver.wrong.\(isLocal ? "local" : field.rawValue)"),
                at: field == .present ? nil : field.rawValue)
            if [.port, .authority].contains(field) { model["isOpen"] = true }
        }
        let view = SetupAnswerView(
            words: call.words, form: "letterserver", next: isSetup ? "/desk" : "/office/outbox")
        let (status, title) = try view.add(answer, to: &model)
        return try call.page(model, isSetup: isSetup, status: status, title: title)
    }
}
