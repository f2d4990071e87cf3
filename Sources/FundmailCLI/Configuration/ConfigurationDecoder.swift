import FundCore
import MailFetch

/// Decodes `fundmail.yaml` strictly.
struct ConfigurationDecoder {
    /// Below 2 GiB, because GMime counts in `guint`.
    static let messageByteRange: ClosedRange<Int64> = 1000...2_147_483_647
    static let credentialsMark = "${CREDENTIALS_DIRECTORY}/"

    private let root: ConfigurationNode
    /// The folder of the file: what relative paths start at.
    private let folder: String
    private let credentialsFolder: String?
    private var warnings: [String] = []

    /// `file` is the path as people should see it; `text` its content; `credentialsFolder` what systemd hands over.
    static func decode(
        _ text: String, file: String, credentialsFolder: String? = nil
    ) throws -> Configuration {
        let folder = file.contains("/") ? String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]) : "."
        var decoder = ConfigurationDecoder(
            root: try ConfigurationNode.parse(text, file: file), folder: folder.isEmpty ? "/" : folder,
            credentialsFolder: credentialsFolder)
        return try decoder.configuration(file)
    }

    private init(root: ConfigurationNode, folder: String, credentialsFolder: String?) {
        self.root = root
        self.folder = folder
        self.credentialsFolder = credentialsFolder
    }

    private mutating func configuration(_ file: String) throws -> Configuration {
        let values = try root.mapping(["store", "mailboxes", "routing", "limits", "retention", "server"])
        guard let store = values["store"] else {
            throw root.error("the key \"store\" is missing; write store: ./store")
        }
        var configuration = Configuration(file: file, store: path(try store.text()))
        if let routing = values["routing"] { configuration.routing = try rules(routing) }
        if let limits = values["limits"] { configuration.limits = try self.limits(limits) }
        if let retention = values["retention"] { configuration.retention = try self.retention(retention) }
        if let server = values["server"] { configuration.server = try self.server(server) }
        for node in try values["mailboxes"]?.list() ?? [] {
            let mailbox = try mailbox(node)
            guard configuration.mailbox(named: mailbox.name) == nil else {
                throw node.error("there is another mailbox named \"\(mailbox.name)\"; give each its own name")
            }
            configuration.mailboxes.append(mailbox)
        }
        configuration.warnings = warnings
        return configuration
    }

    // MARK: A mailbox

    private mutating func mailbox(_ node: ConfigurationNode) throws -> MailboxConfiguration {
        let values = try node.mapping([
            "name", "url", "password", "password_file", "password_env", "oauth2", "tls_ca_file", "tls", "after",
            "after_misrouted", "interval", "run_limit", "idle", "trust",
        ])
        let name = try required("name", of: node, values, example: "name: funds").text()
        guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }) else {
            throw (values["name"] ?? node).error("may hold only letters, digits, \"-\", \"_\" and \".\"")
        }
        let url = try required("url", of: node, values, example: "url: imaps://user@host/INBOX")
        let server: MailServerAddress
        do { server = try MailServerAddress(url: try url.text()) } catch let error as FetchError {
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
        return mailbox
    }

    private func credential(
        _ node: ConfigurationNode, _ values: [String: ConfigurationNode]
    ) throws -> CredentialSource {
        let given = ["password", "password_file", "password_env", "oauth2"].filter { values[$0] != nil }
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

    private func after(_ node: ConfigurationNode, _ server: MailServerAddress) throws -> AfterFiling {
        let action: AfterFiling
        if node.isMapping {
            let move = try required("move", of: node, try node.mapping(["move"]), example: "{move: Processed}")
            action = .move(folder: try move.text())
        } else {
            switch try node.text() {
            case "delete": action = .delete
            case "flag": action = .flag
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
                "mailbox \(mailbox): trust requires nothing; whoever writes a user's address in From files mail as that user"
            )
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

    // MARK: The rest

    private func rules(_ node: ConfigurationNode) throws -> RoutingRules {
        let values = try node.mapping(["ignore_tags", "subaddress_separator"])
        var rules = RoutingRules()
        if let tags = values["ignore_tags"] { rules.ignoredTags = try tags.list().map { try $0.text() } }
        if let separator = values["subaddress_separator"] {
            rules.subaddressSeparator = try separator.string()
            guard rules.subaddressSeparator.utf8.count <= 3, rules.subaddressSeparator.utf8.allSatisfy({ $0 < 128 })
            else { throw separator.error("must be at most three ASCII characters, as in \"+\", or \"\" for none") }
        }
        return rules
    }

    private func limits(_ node: ConfigurationNode) throws -> ParseLimits {
        let values = try node.mapping(["message", "parts", "depth"])
        var limits = ParseLimits()
        if let size = values["message"] { limits.maxMessageBytes = try size.byteCount(in: Self.messageByteRange) }
        if let parts = values["parts"] { limits.maxParts = try parts.integer(in: 1...10_000) }
        if let depth = values["depth"] { limits.maxDepth = try depth.integer(in: 1...100) }
        return limits
    }

    private func retention(_ node: ConfigurationNode) throws -> Retention {
        let values = try node.mapping(["raw", "deleted"])
        var retention = Retention()
        if let raw = values["raw"] { retention.rawDays = try days(raw) }
        if let deleted = values["deleted"] { retention.deletedDays = try days(deleted) }
        return retention
    }

    /// Nil for `keep`.
    private func days(_ node: ConfigurationNode) throws -> Int? {
        if try node.string() == "keep" { return nil }
        if let seconds = Quantity.seconds(try node.string()), seconds >= 86400, seconds % 86400 == 0 {
            return seconds / 86400
        }
        guard Int(try node.string()) != nil else { throw node.error("must be keep or a number of days") }
        return try node.integer(in: 1...36500)
    }

    private func server(_ node: ConfigurationNode) throws -> ServerConfiguration {
        let values = try node.mapping(["listen", "tls", "public_url", "behind_proxy", "x_accel_redirect", "tokens"])
        var server = ServerConfiguration()
        if let listen = values["listen"] {
            let text = try listen.text()
            guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
                (0...65535).contains(port), colon != text.startIndex
            else { throw listen.error("must be an address and a port, as in 127.0.0.1:8080") }
            server.host = text[..<colon].filter { $0 != "[" && $0 != "]" }
            server.port = port
        }
        if let tls = values["tls"], (try? tls.string()) == "off" {
            server.isPlainAllowed = true
        } else if let tls = values["tls"] {
            let files = try tls.mapping(["certificate", "key"])
            server.tls = ServerConfiguration.Certificate(
                certificateFile: path(
                    try required("certificate", of: tls, files, example: "certificate: cert.pem").text()),
                keyFile: path(try required("key", of: tls, files, example: "key: key.pem").text()))
        }
        if let tokens = try values["tokens"]?.mapping(["mobile", "web"]) {
            if let mobile = tokens["mobile"] { server.mobileTokenSeconds = try mobile.seconds(in: 60...31_536_000) }
            if let web = tokens["web"] { server.webTokenSeconds = try web.seconds(in: 60...31_536_000) }
        }
        if let proxy = values["behind_proxy"] { server.isBehindProxy = try proxy.boolean() }
        if let prefix = values["x_accel_redirect"] {
            let text = try prefix.text()
            guard text.hasPrefix("/"), text.hasSuffix("/") else {
                throw prefix.error("must begin and end with a slash, as in /blobs/")
            }
            server.accelRedirect = text
        }
        if let url = values["public_url"] {
            let text = try url.text()
            guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
                throw url.error("must begin with https:// or http://")
            }
            server.publicURL = text.hasSuffix("/") ? String(text.dropLast()) : text
        }
        return server
    }

    private func required(
        _ key: String, of node: ConfigurationNode, _ values: [String: ConfigurationNode], example: String
    ) throws -> ConfigurationNode {
        guard let value = values[key] else {
            throw node.error("the key \"\(key)\" is missing; add \(example)")
        }
        return value
    }

    /// Relative paths start at the folder of the file. What begins with `${CREDENTIALS_DIRECTORY}` is where systemd puts the
    /// secrets of a service (systemd.exec(5), LoadCredential=); elsewhere it stays as it is written, and names no file.
    private func path(_ text: String) -> String {
        if text.hasPrefix("/") { return text }
        if text.hasPrefix(Self.credentialsMark) {
            return credentialsFolder.map { $0 + text.dropFirst(Self.credentialsMark.count - 1) } ?? text
        }
        let plain = text.hasPrefix("./") ? String(text.dropFirst(2)) : text
        return folder == "." ? plain : folder == "/" ? "/\(plain)" : "\(folder)/\(plain)"
    }
}
