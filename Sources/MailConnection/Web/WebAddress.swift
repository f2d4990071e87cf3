internal import FundCore

/// The address of something on a web server: `https://host/path`, or `http://` on this machine.
package struct WebAddress: Sendable, Hashable, CustomStringConvertible {
    package var isEncrypted: Bool
    package var server: HostAndPort
    /// Path as it stands in requests, percent-encoded, with its slash; a query may follow it.
    package var path: String

    private static let schemes = [("https://", true, UInt16(443)), ("http://", false, UInt16(80))]

    /// Parses a URL. One with a user, a password or a fragment, another scheme, and `http://` of another machine are
    /// refused with `badConfiguration`, whose detail goes on after "the URL".
    package init(url: String) throws(ConnectionError) { try self.init(url: url, isPublic: false) }

    /// Parses the URL of something public, which may travel readable. Throws as `init(url:)`.
    package init(publicURL url: String) throws(ConnectionError) { try self.init(url: url, isPublic: true) }

    private init(url: String, isPublic: Bool) throws(ConnectionError) {
        func bad(_ problem: String) -> ConnectionError {
            ConnectionError(.badConfiguration, during: "reading the URL", problem)
        }
        let scheme = Self.schemes.first { ASCII.lowercased(url.utf8.prefix($0.0.utf8.count)) == $0.0 }
        guard let (mark, isEncrypted, port) = scheme else {
            throw bad("must begin with https://, as in https://cards.corp.example/people/")
        }
        let rest = url.dropFirst(mark.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        // The value of a wrong URL is not repeated: it may hold a password.
        guard !rest[..<slash].contains("@") else { throw bad("names a user; write the user as user: beside it") }
        guard let server = HostAndPort(rest[..<slash], defaultPort: port) else {
            throw bad("names no host, or a port that is no number from 1 to 65535")
        }
        guard isEncrypted || server.isLoopback || isPublic else {
            throw bad("must begin with https://: \(server.host) is not this machine, and all would travel readable")
        }
        guard let path = Self.path(String(rest[slash...])) else {
            throw bad("holds a space, a control character, or a # in its path; write them as %20 and %23")
        }
        (self.isEncrypted, self.server, self.path) = (isEncrypted, server, path)
    }

    private init(_ isEncrypted: Bool, _ server: HostAndPort, _ path: String) {
        (self.isEncrypted, self.server, self.path) = (isEncrypted, server, path)
    }

    /// The address without the port that its scheme implies.
    package var description: String {
        let usual: UInt16 = isEncrypted ? 443 : 80
        let port = server.port == usual ? "" : ":\(server.port)"
        return "\(isEncrypted ? "https" : "http")://\(server.urlHost)\(port)\(path)"
    }

    /// The address that a reference of this server names (RFC 3986 §4.2): a whole URL, a path from the root, or one
    /// from here. Nil for another server, and for what is no path.
    package func resolving(_ reference: String) -> WebAddress? {
        if reference.contains("://") {
            guard let other = try? WebAddress(url: reference), other.isEncrypted == isEncrypted,
                other.server.port == server.port,
                ASCII.lowercased(other.server.host.utf8) == ASCII.lowercased(server.host.utf8)
            else { return nil }
            return other
        }
        guard !reference.hasPrefix("//") else { return nil }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        let whole = reference.hasPrefix("/") ? reference : folder + reference
        return Self.path(String(whole)).map { WebAddress(isEncrypted, server, $0) }
    }

    /// The path of a request, with characters beyond ASCII encoded; nil for what no request may hold.
    private static func path(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 > .space && $0 != 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        let path = PercentCoding.encoded(text) { ASCII.isVisible($0) }
        return path.isEmpty ? "/" : path
    }
}
