import FundCore
import MailFetch
import MailWatch
import Terminal

/// Decodes `fundmail.yaml` strictly.
struct ConfigurationDecoder {
    /// Below 2 GiB, because GMime counts in `guint`.
    static let messageByteRange: ClosedRange<Int64> = 1000...2_147_483_647
    static let credentialsMark = "${CREDENTIALS_DIRECTORY}/"

    private let root: ConfigurationNode
    /// The folder of the file: what relative paths start at.
    private let folder: String
    private let credentialsFolder: String?
    var warnings: [String] = []
    /// Whether letters can go out. `smtp` is decoded before the mailboxes.
    private(set) var hasSMTP = false

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

    private mutating func configuration(_ file: String) throws -> Configuration {
        let values = try root.mapping([
            "store", "mailboxes", "smtp", "digests", "routing", "limits", "quota", "retention", "previews", "scan",
            "server", "links", "news", "profiles", "directory", "drives", "webhooks",
        ])
        guard let store = values["store"] else {
            throw root.error("the key \"store\" is missing; write store: ./store")
        }
        var configuration = Configuration(file: file, store: path(try store.text()))
        if let routing = values["routing"] { configuration.routing = try rules(routing) }
        if let limits = values["limits"] { configuration.limits = try self.limits(limits) }
        if let quota = values["quota"] { configuration.quota = try self.quota(quota) }
        if let retention = values["retention"] { configuration.retention = try self.retention(retention) }
        if let previews = values["previews"] { configuration.previews = try self.previews(previews) }
        if let scan = values["scan"] {
            configuration.scan = try self.scan(scan)
            guard configuration.previews != nil || configuration.scan?.holdsUnscanned != true else {
                throw scan.error(
                    "unscanned: hold needs previews: with previews: off nothing is ever scanned, or given")
            }
        }
        if let smtp = values["smtp"] {
            configuration.smtp = try self.smtp(smtp)
            hasSMTP = true
        }
        if let digests = values["digests"], let hour = try digests.mapping(["hour"])["hour"] {
            configuration.digestHour = try hour.integer(in: 0...23)
        }
        if let links = values["links"] { configuration.links = try isOn(links) }
        if let news = values["news"] { configuration.news = try isOn(news) }
        if let server = values["server"] { configuration.server = try self.server(server) }
        if let profiles = values["profiles"] { configuration.profiles = try self.profiles(profiles) }
        if let directory = values["directory"] { configuration.directory = try self.directory(directory) }
        if let drives = values["drives"] {
            configuration.drives = try self.drives(drives, publicURL: configuration.server?.publicURL)
        }
        if let webhooks = values["webhooks"] { configuration.webhooks = try self.webhooks(webhooks) }
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

    private func isOn(_ node: ConfigurationNode) throws -> Bool {
        switch try node.string() {
        case "on": return true
        case "off": return false
        default: throw node.error("must be on or off")
        }
    }

    private func rules(_ node: ConfigurationNode) throws -> RoutingPolicy {
        let values = try node.mapping(["ignore_tags", "subaddress_separator"])
        var rules = RoutingPolicy(trust: .vouched)
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

    private func quota(_ node: ConfigurationNode) throws -> StorageLimits {
        let values = try node.mapping(["person", "store"])
        return StorageLimits(person: try values["person"].flatMap(room), store: try values["store"].flatMap(room))
    }

    /// Nil for `none`.
    private func room(_ node: ConfigurationNode) throws -> Int64? {
        try node.string() == "none" ? nil : node.byteCount(in: 1...Int64.max)
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

    private func scan(_ node: ConfigurationNode) throws -> ScanConfiguration {
        let values = try node.mapping(["clamd", "unscanned", "limit"])
        guard let clamd = values["clamd"] else {
            throw node.error("the key \"clamd\" is missing; write clamd: /run/clamav/clamd.ctl")
        }
        var scan = ScanConfiguration(socket: path(try clamd.text()))
        if let unscanned = values["unscanned"] {
            switch try unscanned.string() {
            case "serve": break
            case "hold": scan.holdsUnscanned = true
            default: throw unscanned.error("must be serve or hold")
            }
        }
        if let limit = values["limit"] { scan.limitSeconds = try limit.seconds(in: 5...3600) }
        return scan
    }

    private func server(_ node: ConfigurationNode) throws -> ServerConfiguration {
        let values = try node.mapping([
            "listen", "tls", "public_url", "behind_proxy", "tokens", "second_factor",
        ])
        var server = ServerConfiguration()
        if let listen = values["listen"] {
            let text = try listen.text()
            guard let place = ServerConfiguration.place(text) else {
                throw listen.error("must be an address and a port, as in 127.0.0.1:8080")
            }
            (server.host, server.port) = place
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
        if let rule = try values["second_factor"]?.mapping(["required_for"])["required_for"] {
            guard let people = SecondFactorRule(rawValue: try rule.string()) else {
                throw rule.error("must be none, administrators or everybody")
            }
            server.secondFactor = people
        }
        if let proxy = values["behind_proxy"] { server.isBehindProxy = try proxy.boolean() }
        if let url = values["public_url"] {
            let text = try url.text()
            guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
                throw url.error("must begin with https:// or http://")
            }
            server.publicURL = text.hasSuffix("/") ? String(text.dropLast()) : text
        }
        return server
    }

    func required(
        _ key: String, of node: ConfigurationNode, _ values: [String: ConfigurationNode], example: String
    ) throws -> ConfigurationNode {
        guard let value = values[key] else {
            throw node.error("the key \"\(key)\" is missing; add \(example)")
        }
        return value
    }

    /// Relative paths start at the folder of the file. What begins with `${CREDENTIALS_DIRECTORY}` is where systemd
    /// puts the secrets of a service (systemd.exec(5), LoadCredential=); elsewhere it stays as written, and names no
    /// file.
    func path(_ text: String) -> String {
        if text.hasPrefix("/") { return text }
        if text.hasPrefix(Self.credentialsMark) {
            return credentialsFolder.map { $0 + text.dropFirst(Self.credentialsMark.count - 1) } ?? text
        }
        let plain = text.hasPrefix("./") ? String(text.dropFirst(2)) : text
        return folder == "." ? plain : folder == "/" ? "/\(plain)" : "\(folder)/\(plain)"
    }
}
