package import MailConnection

/// The server that letters are handed to, as its URL names it: `smtps://mail.corp.example` or `smtp://…:587`.
package struct SubmissionAddress: Sendable, Hashable {
    /// The protocol, and how it is encrypted.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        case smtps, smtp

        /// TLS from the first byte (RFC 8314 §3.3); otherwise STARTTLS (RFC 3207).
        package var isImplicitTLS: Bool { self == .smtps }
        /// RFC 8314 §7.3, RFC 6409 §3.1.
        package var defaultPort: UInt16 { self == .smtps ? 465 : 587 }
    }

    package var scheme: Scheme
    package var server: HostAndPort

    package init(scheme: Scheme, server: HostAndPort) {
        self.scheme = scheme
        self.server = server
    }

    /// Parses a URL of scheme, host and port. A user, a password, a path or another scheme is refused with
    /// `badConfiguration`; its detail goes on after "the URL".
    package init(url: String) throws(ConnectionError) {
        func bad(_ problem: String) -> ConnectionError {
            ConnectionError(.badConfiguration, during: "reading the URL", problem)
        }
        guard let mark = url.firstRange(of: "://"),
            let scheme = Scheme(rawValue: url[..<mark.lowerBound].lowercased())
        else { throw bad("must begin with smtps:// or smtp://, as in smtps://mail.corp.example") }
        var authority = url[mark.upperBound...]
        while authority.last == "/" { authority = authority.dropLast() }
        // The value of a wrong URL is not repeated: it may hold a password.
        guard !authority.contains("@") else { throw bad("names a user; write the user as user: beside it") }
        guard let server = HostAndPort(authority, defaultPort: scheme.defaultPort) else {
            throw bad("names no host, or a port that is no number from 1 to 65535")
        }
        self.init(scheme: scheme, server: server)
    }
}
