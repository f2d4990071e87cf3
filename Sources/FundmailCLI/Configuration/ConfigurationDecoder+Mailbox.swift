internal import MailConnection
import FundCore
import MailFetch
import MailWatch

/// The entries of `mailboxes`.
extension ConfigurationDecoder {
    mutating func mailbox(_ node: ConfigurationNode) throws -> MailboxConfiguration {
        let values = try node.mapping([
            "name", "url", "password", "password_file", "password_env", "oauth2", "tls_ca_file", "tls", "after",
            "after_misrouted", "interval", "run_limit", "idle", "trust", "receipts",
        ])
        let name = try required("name", of: node, values, example: "name: funds").text()
        guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }) else {
            throw (values["name"] ?? node).error("may hold only letters, digits, \"-\", \"_\" and \".\"")
        }
        let url = try required("url", of: node, values, example: "url: imaps://user@host/INBOX")
        let server: MailServerAddress
        do { server = try MailServerAddress(url: try url.text()) } catch let error as ConnectionError {
            throw url.error(error.detail)
        }
        let trustNode = try required(
            "trust", of: node, values, example: "trust: {authserv_id: mx.host, require: dmarc}")
        var mailbox = MailboxConfiguration(
            name: name, server: server, credential: try credential(node, values),
            trust: try trust(trustNode, mailbox: name))
        mailbox.caFile = try values["tls_ca_file"].map { path(try $0.text()) }
        if let tls = values["tls"] { mailbox.usesTLS = try usesTLS(tls, server, name) }
        if let after = values["after"] { mailbox.after = try self.after(after, server) }
        mailbox.afterMisrouted = try values["after_misrouted"].map { try self.after($0, server) } ?? mailbox.after
        if let interval = values["interval"] { mailbox.intervalSeconds = try interval.seconds(in: 1...604_800) }
        if let limit = values["run_limit"] { mailbox.runLimitSeconds = try limit.seconds(in: 1...604_800) }
        mailbox.usesIdle = server.scheme.isIMAP
        if let idle = values["idle"] {
            mailbox.usesIdle = try idle.boolean()
            if mailbox.usesIdle, !server.scheme.isIMAP { throw idle.error("POP3 has no IDLE; leave it out") }
        }
        if let receipts = values["receipts"] { mailbox.receipts = try self.receipts(receipts, mailbox) }
        return mailbox
    }

    private mutating func receipts(_ node: ConfigurationNode, _ mailbox: MailboxConfiguration) throws -> ReceiptChoice {
        guard let choice = ReceiptChoice(rawValue: try node.text()) else {
            throw node.error("must be off, filed, problems or all, not \"\(try node.text())\"")
        }
        guard choice != .off else { return choice }
        guard hasSMTP else { throw node.error("needs the section smtp: without it no letter goes out") }
        if mailbox.trust == .vouched {
            warnings.append(
                "mailbox \(mailbox.name): trust requires nothing, so receipts go to addresses alone that "
                    + "`fundmail user address answer` marked")
        }
        return choice
    }

    /// Keys that say where the secret for a login is.
    static let credentialKeys = ["password", "password_file", "password_env", "oauth2"]

    func credential(
        _ node: ConfigurationNode, _ values: [String: ConfigurationNode]
    ) throws -> CredentialSource {
        let given = Self.credentialKeys.filter { values[$0] != nil }
        guard given.count == 1, let key = given.first, let value = values[key] else {
            throw node.error(
                given.isEmpty
                    ? "says nothing about the login; add password_file, password_env or oauth2"
                    : "has \(given.joined(separator: " and ")); keep one of them")
        }
        switch key {
        case "password": return .password(Secret(value: try value.text()))
        case "password_file": return .passwordFile(path(try value.text()))
        case "password_env": return .passwordEnvironment(try value.text())
        default:
            return .oauth2(try token(value))
        }
    }

    private func token(_ node: ConfigurationNode) throws -> TokenSource {
        var values = try node.mapping(["token_command", "token_file", "token_env", "pass_env"])
        let passed = values.removeValue(forKey: "pass_env")
        guard values.count == 1, let (key, value) = values.first else {
            throw node.error("must say one of token_command, token_file and token_env")
        }
        if let passed, key != "token_command" { throw passed.error("is for token_command; leave it out") }
        switch key {
        case "token_command":
            return .command(try value.text(), passing: try passed?.list().map { try $0.text() } ?? [])
        case "token_file": return .file(path(try value.text()))
        default: return .environment(try value.text())
        }
    }

    private mutating func usesTLS(_ node: ConfigurationNode, _ server: MailServerAddress, _ name: String) throws -> Bool
    {
        if try node.boolean() { return true }
        guard server.scheme == .imap || server.scheme == .pop3 else {
            throw node.error("\(server.scheme):// is always encrypted; leave tls out")
        }
        guard server.isLoopback else {
            throw node.error(
                "off is refused because \(server.host) is not this machine: password and mail would travel readable; "
                    + "use \(server.scheme)s:// or leave tls out for STARTTLS")
        }
        warnings.append("mailbox \(name): tls is off; password and mail travel unencrypted on this machine")
        return false
    }

    /// INBOX is the one name whose case does not count (RFC 3501 §5.1).
    private static func isSame(_ folder: String, _ other: String) -> Bool {
        // Slashes around a name are dropped.
        func name(_ text: String) -> String {
            let name = text.split(separator: "/").joined(separator: "/")
            return name.uppercased() == "INBOX" ? "INBOX" : name
        }
        return name(folder) == name(other)
    }

    private func after(_ node: ConfigurationNode, _ server: MailServerAddress) throws -> MailboxAccess.After {
        let action: MailboxAccess.After
        if node.isMapping {
            let move = try required("move", of: node, try node.mapping(["move"]), example: "{move: Processed}")
            action = .move(folder: try move.text())
        } else {
            switch try node.text() {
            case "delete": action = .delete
            case "flag": action = .flagged
            case "keep": action = .keep
            case let text where text.hasPrefix("move:"):
                let folder = text.dropFirst(5).drop(while: \.isWhitespace)
                guard !folder.isEmpty else { throw node.error("must name a folder, as in {move: Processed}") }
                action = .move(folder: String(folder))
            case let text:
                throw node.error("must be delete, {move: Folder}, flag or keep, not \"\(text)\"")
            }
        }
        if !server.scheme.isIMAP, action != .delete, action != .keep {
            throw node.error("POP3 can only delete or keep")
        }
        if case .move(let folder) = action, Self.isSame(folder, server.mailbox) {
            throw node.error("moves mail into the folder that is polled; name another folder, or keep")
        }
        return action
    }

    private mutating func trust(_ node: ConfigurationNode, mailbox: String) throws -> TrustPolicy {
        let values = try node.mapping(["authserv_id", "require", "own_received", "submission_domains"])
        let require = try required("require", of: node, values, example: "require: dmarc")
        let ownReceived = try values["own_received"]?.integer(in: 0...20) ?? 0
        switch try require.text() {
        case "none":
            warnings.append(
                "mailbox \(mailbox): trust requires nothing; "
                    + "whoever writes a user's address in From files mail as that user")
            return .vouched
        case "dmarc":
            guard let id = values["authserv_id"] else {
                throw node.error(
                    "require: dmarc needs authserv_id, the name that your mail server writes first in "
                        + "Authentication-Results (topmost-without-id for Exchange Online)")
            }
            let text = try id.text()
            let hasName = text != "topmost-without-id"
            if !hasName, let domains = values["submission_domains"] {
                throw domains.error(
                    "needs an authserv_id that names the server; Exchange Online writes no auth results")
            }
            return .dmarc(
                authservID: hasName ? .named(text) : .topmostWithoutID, ownReceivedFields: ownReceived,
                submissionDomains: try values["submission_domains"].map(self.submissionDomains) ?? [])
        case let text: throw require.error("must be dmarc or none, not \"\(text)\"")
        }
    }

    private func submissionDomains(_ node: ConfigurationNode) throws -> [String] {
        let domains = try node.list().map { item in
            guard let domain = DomainName.aLabels(try item.text()) else {
                throw item.error("must be a domain, as in corp.example")
            }
            return domain
        }
        guard !domains.isEmpty else { throw node.error("names no domain; leave it out") }
        return domains
    }
}
