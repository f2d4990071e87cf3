internal import FundCore

/// A mailbox on a server, as its URL names it: `imaps://user%40corp.example@mail.corp.example:993/Folder/Name`.
package struct MailServerAddress: Sendable, Hashable {
    /// The protocol, and how it is encrypted.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        case imaps, imap, pop3s, pop3

        package var isIMAP: Bool { self == .imaps || self == .imap }
        /// TLS from the first byte (RFC 8314); otherwise STARTTLS (RFC 3501 §6.2.1) or STLS (RFC 2595 §4).
        package var isImplicitTLS: Bool { self == .imaps || self == .pop3s }
        package var defaultPort: UInt16 {
            switch self {
            case .imaps: 993
            case .imap: 143
            case .pop3s: 995
            case .pop3: 110
            }
        }
    }

    package var scheme: Scheme
    package var user: String
    package var host: String
    package var port: UInt16
    /// The folder, in Unicode; `INBOX` unless the URL names one. POP3 has only that.
    package var mailbox: String

    package init(scheme: Scheme, user: String, host: String, port: UInt16? = nil, mailbox: String = "INBOX") {
        self.scheme = scheme
        self.user = user
        self.host = host
        self.port = port ?? scheme.defaultPort
        self.mailbox = mailbox
    }

    /// Parses a URL (RFC 3986, RFC 5092, RFC 2384). Percent-encoding is undone in the user and the folder. A password
    /// in the URL, a query or an unknown scheme is refused with `badConfiguration`; its detail goes on after "the URL".
    package init(url: String) throws(ConnectionError) {
        func bad(_ problem: String) -> ConnectionError {
            ConnectionError(.badConfiguration, during: "reading the URL", problem)
        }
        guard let mark = url.firstRange(of: "://") else { throw bad("must look like imaps://user@host/INBOX") }
        guard let scheme = Scheme(rawValue: url[..<mark.lowerBound].lowercased()) else {
            throw bad("must begin with imaps://, imap://, pop3s:// or pop3://")
        }
        let rest = url[mark.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var (authority, path) = (rest[..<slash], rest[slash...].dropFirst())
        guard let at = authority.lastIndex(of: "@") else {
            throw bad("names no user; write \(scheme)://user@host, with %40 for an @ in the user")
        }
        let userInfo = authority[..<at]
        authority = authority[authority.index(after: at)...]
        // The value of a wrong URL is not repeated: it may hold a password.
        guard !userInfo.contains(":") else { throw bad("holds a password; move it to password_file or password_env") }
        guard let user = Self.percentDecoded(userInfo), Self.isPlain(user), !user.isEmpty else {
            throw bad("has a user that cannot be decoded; check the % signs")
        }
        guard let server = HostAndPort(authority, defaultPort: scheme.defaultPort) else {
            throw bad("names no host, or a port that is no number from 1 to 65535")
        }
        guard path.first(where: { "?;#".contains($0) }) == nil else {
            throw bad("has more than a folder behind the host; write ;, ? and # in it as %3B, %3F and %23")
        }
        while path.last == "/" { path = path.dropLast() }
        guard let mailbox = Self.percentDecoded(path), Self.isPlain(mailbox) else {
            throw bad("has a folder that cannot be decoded; check the % signs")
        }
        guard scheme.isIMAP || mailbox.isEmpty || mailbox.uppercased() == "INBOX" else {
            throw bad("names a folder, but POP3 has only one; leave it out")
        }
        self.init(
            scheme: scheme, user: user, host: server.host, port: server.port,
            mailbox: mailbox.isEmpty ? "INBOX" : mailbox)
    }

    /// The URL, always with the port.
    package var text: String {
        func encoded(_ text: String, _ others: String) -> String {
            PercentCoding.encoded(text) { PercentCoding.isUnreserved($0) || others.utf8.contains($0) }
        }
        let path = scheme.isIMAP ? "/" + encoded(mailbox, "/") : ""
        return "\(scheme.rawValue)://\(encoded(user, "+"))@\(server.urlHost):\(port)\(path)"
    }

    package var server: HostAndPort { HostAndPort(host: host, port: port) }

    package var endpoint: LoginEndpoint {
        LoginEndpoint(scheme: scheme.rawValue, isImplicitTLS: scheme.isImplicitTLS, server: server)
    }

    /// The connection does not leave this machine.
    package var isLoopback: Bool { server.isLoopback }

    private static func percentDecoded(_ text: Substring) -> String? {
        PercentCoding.decoded(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// No control characters: they would end a line of the protocol.
    private static func isPlain(_ text: String) -> Bool { !text.utf8.contains(where: \.isControl) }
}
