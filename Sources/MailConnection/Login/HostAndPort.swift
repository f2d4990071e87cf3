internal import FundCore

/// A host and a port, as the authority of a URL has them (RFC 3986 §3.2).
package struct HostAndPort: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address; an IPv6 address without brackets.
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `host`, `host:port` or `[IPv6]:port`. Nil for another host, or a port that is no number from 1 to 65535.
    package init?(_ authority: Substring, defaultPort: UInt16) {
        var host = authority
        port = defaultPort
        let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
        if let colon = authority[bracket...].lastIndex(of: ":") {
            host = authority[..<colon]
            guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
            port = number
        }
        let isLiteral = host.first == "[" && host.last == "]" && host.count > 2
        let inner = isLiteral ? host.dropFirst().dropLast() : host
        let allowed = { (byte: UInt8) in
            ASCII.isAlphanumeric(byte) || "-._".utf8.contains(byte) || (isLiteral && byte == .colon)
        }
        guard !inner.isEmpty, inner.utf8.allSatisfy(allowed) else { return nil }
        self.host = String(inner)
    }

    /// `host:port`, for people.
    package var description: String { "\(urlHost):\(port)" }

    /// See `IPAddress.urlHost`.
    package var urlHost: String { IPAddress.urlHost(host) }

    /// The connection does not leave this machine.
    package var isLoopback: Bool { IPAddress.isLoopback(host: host) }
}
