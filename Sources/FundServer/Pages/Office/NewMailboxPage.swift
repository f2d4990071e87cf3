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
    private static let schemes = ["imaps", "imap", "pop3s", "pop3"]
    /// Names of protocols, which no language translates.
    private static let schemeWords = [
        "imaps": "IMAP · TLS", "imap": "IMAP · STARTTLS", "pop3s": "POP3 · TLS", "pop3": "POP3 · STARTTLS",
    ]
    /// For which alone a sealed password is good.
    private static let seal = "password of a new mailbox"

    private(set) var proposal = MailboxProposal()
    /// Numbers as they were typed; they may be no numbers.
    private var (port, ownReceived) = ("", "0")
    private let isSetup: Bool

    init(isSetup: Bool) { self.isSetup = isSetup }

    /// Throws 400 for a protocol that is none.
    init(_ form: FieldText, _ call: PageCall) throws {
        isSetup = form["setup"] != nil
        guard let scheme = form["scheme"], Self.schemes.contains(scheme) else {
            throw RequestError.invalid("there is no such protocol")
        }
        proposal.scheme = scheme
        (proposal.name, proposal.host) = (form["name"] ?? "", form["host"] ?? "")
        (proposal.user, proposal.folder) = (form["user"] ?? "", form["folder"] ?? "")
        proposal.password = form["password"] ?? ""
        if proposal.password.isEmpty, let sealed = form["sealed"], !sealed.isEmpty {
            proposal.password = try call.opened(sealed, of: Self.seal) ?? ""
        }
        proposal.requiresProof = form["trust"] != "none"
        proposal.authServer = form["auth_server"] ?? ""
        proposal.authority = form["authority"] ?? ""
        (port, ownReceived) = (form["port"] ?? "", form["own_received"] ?? "0")
        // Zero is no port and is refused as one that is.
        proposal.port = port.isEmpty ? nil : QueryText.number(port).flatMap { Int(exactly: $0) } ?? 0
        proposal.ownReceivedFields = QueryText.number(ownReceived).flatMap { Int(exactly: $0) } ?? -1
    }

    var model: PageModel {
        [
            "host": proposal.host, "port": port, "login": proposal.user, "folder": proposal.folder,
            "mailboxName": proposal.name, "authServer": proposal.authServer, "ownReceived": ownReceived,
            "authority": proposal.authority, "believesAll": !proposal.requiresProof,
            "schemes": Self.schemes.map {
                ["value": $0, "word": Self.schemeWords[$0] ?? $0, "isChosen": $0 == proposal.scheme] as PageModel
            },
            "isOpen": [proposal.authority, proposal.name, port].contains { !$0.isEmpty } || ownReceived != "0",
        ]
    }

    func answered(_ answer: MailboxAnswer, _ call: PageCall) throws -> Response {
        var model = model
        // So that the page does not hold it, and it need not be typed again.
        if !proposal.password.isEmpty { model["sealed"] = try call.sealed(proposal.password, of: Self.seal) }
        switch answer {
        case .wrong(let field):
            let shown = field == .duplicate ? MailboxField.user : field
            model.fail(call.words("newmailbox.wrong.\(field.rawValue)"), at: shown.rawValue)
            model["\(Self.nameInTemplate(shown))Failed"] = true
            if [.name, .ownReceived, .authority].contains(shown) { model["isOpen"] = true }
            return call.page(model, isSetup: isSetup, status: .unprocessableContent)
        case .busy:
            model.fail(call.words("newmailbox.busy"))
            return call.page(model, isSetup: isSetup, status: .serviceUnavailable)
        case .forbidden: throw RequestError.forbidden
        case .failed(let findings):
            model.fail(call.words("newmailbox.failed"))
            show(findings, on: &model, call.words)
            model["hasFailed"] = true
            return call.page(model, isSetup: isSetup, status: .unprocessableContent)
        case .added(let name, let findings):
            show(findings, on: &model, call.words)
            model["added"] = ["name": name, "next": isSetup ? "/setup/person" : "/office/mailboxes"] as PageModel
            return call.page(model, isSetup: isSetup, title: call.words("newmailbox.added"))
        case .byHand(let why, let lines, let findings):
            model.fail(call.words("newmailbox.byhand"))
            model["byHand"] = ["why": why, "lines": lines.isEmpty ? nil : lines] as PageModel
            show(findings, on: &model, call.words)
            return call.page(model, isSetup: isSetup, status: .conflict)
        }
    }

    /// Names of templates are without underscores.
    private static func nameInTemplate(_ field: MailboxField) -> String {
        switch field {
        case .authServer: "authServer"
        case .ownReceived: "ownReceived"
        default: field.rawValue
        }
    }

    private func show(_ findings: [Finding], on model: inout PageModel, _ words: Words) {
        model["hasFindings"] = !findings.isEmpty
        model["findings"] = findings.map { PageRoute.row($0, words) }
    }
}
