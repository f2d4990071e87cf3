internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Adding a mailbox: a form whose answers are tried at the mail server before they are written.
    static let newMailboxRoutes: [PageRoute] = [
        .office("/office/mailboxes/new") { call in
            let isSetup = try call.query()["setup"] != nil
            return call.page(MailboxForm(isSetup: isSetup).model, isSetup: isSetup)
        },
        .officeAct("/office/mailboxes/new") { call, form in
            // It connects to the server that it is told, with the password.
            try call.context.requireSecrecy()
            let mailbox = try MailboxForm(form, call)
            let answer = await call.pages.setup.addMailbox(mailbox.proposal, form["keep"] != nil) {
                await call.isStillAdministrator()
            }
            if case .added(let name, _) = answer {
                let trust = mailbox.proposal.requiresProof ? "" : ", believes every sender"
                try await call.accounts.audit(
                    actor: try call.user.email, action: .mailboxAdd, subject: name,
                    detail: "\(mailbox.proposal.user) at \(mailbox.proposal.host)\(trust)")
            }
            return try mailbox.answered(answer, call)
        },
    ]
}

extension PageCall {
    fileprivate func page(
        _ model: PageModel, isSetup: Bool, status: HTTPResponse.Status = .ok, title: String? = nil
    ) -> Response {
        var model = model
        model["isSetup"] = isSetup
        model["atMailboxes"] = true
        guard !isSetup else { return setupPage("mailboxnew", model, at: .mailbox, status: status) }
        model["isOffice"] = true
        return page("mailboxnew", model, title: title ?? words("newmailbox.title"), status: status, isKept: false)
    }
}

/// The fields of the form of a mailbox.
private struct MailboxForm {
    private static let kind = ServerFields.Kind(
        schemes: ["imaps", "imap", "pop3s", "pop3"],
        names: ["imaps": "IMAP · TLS", "imap": "IMAP · STARTTLS", "pop3s": "POP3 · TLS", "pop3": "POP3 · STARTTLS"],
        seal: "password of a new mailbox")

    private(set) var proposal = MailboxProposal()
    /// Nil in the empty form.
    private var fields: ServerFields?
    /// A number as it was typed; it may be none.
    private var ownReceived = "0"
    private let isSetup: Bool

    init(isSetup: Bool) { self.isSetup = isSetup }

    /// Throws 400 for a protocol that is none.
    init(_ form: FieldText, _ call: PageCall) throws {
        isSetup = form["setup"] != nil
        let fields = try ServerFields(form, of: Self.kind, call)
        self.fields = fields
        (proposal.scheme, proposal.port, proposal.password) = (fields.scheme, fields.port, fields.password)
        (proposal.name, proposal.host) = (form["name"] ?? "", form["host"] ?? "")
        (proposal.user, proposal.folder) = (form["user"] ?? "", form["folder"] ?? "")
        proposal.requiresProof = form["trust"] != "none"
        proposal.authServer = form["auth_server"] ?? ""
        proposal.authority = form["authority"] ?? ""
        ownReceived = form["own_received"] ?? "0"
        proposal.ownReceivedFields = QueryText.number(ownReceived).flatMap { Int(exactly: $0) } ?? -1
    }

    /// Whether something is typed under More settings.
    private var isOpen: Bool {
        let typed = [proposal.authServer, proposal.authority, proposal.name, fields?.typedPort ?? ""]
        return ownReceived != "0" || typed.contains { !$0.isEmpty }
    }

    var model: PageModel {
        [
            "host": proposal.host, "port": fields?.typedPort ?? "", "login": proposal.user, "folder": proposal.folder,
            "mailboxName": proposal.name, "authServer": proposal.authServer, "ownReceived": ownReceived,
            "authority": proposal.authority, "believesAll": !proposal.requiresProof,
            "schemes": Self.kind.choice(proposal.scheme),
            "isOpen": isOpen,
        ]
    }

    func answered(_ answer: MailboxAnswer, _ call: PageCall) throws -> Response {
        var model = model
        model["sealed"] = try fields?.sealedPassword(call)
        if case .wrong(let field) = answer {
            let shown = field == .duplicate ? MailboxField.user : field
            model.fail(call.words("newmailbox.wrong.\(field.rawValue)"), at: shown.rawValue)
            model["\(Self.nameInTemplate(shown))Failed"] = true
            if [.authServer, .name, .ownReceived, .authority].contains(shown) { model["isOpen"] = true }
        }
        let view = SetupAnswerView(
            words: call.words, form: "newmailbox", next: isSetup ? "/setup/person" : "/office/mailboxes")
        let (status, title) = try view.add(answer, to: &model)
        return call.page(model, isSetup: isSetup, status: status, title: title)
    }

    /// Names of templates are without underscores.
    private static func nameInTemplate(_ field: MailboxField) -> String {
        switch field {
        case .authServer: "authServer"
        case .ownReceived: "ownReceived"
        default: field.rawValue
        }
    }
}
