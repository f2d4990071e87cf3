/// A host as administrators name it to allow it, with a port where it is none of the usual ones.
package struct AllowedHost: Sendable, Hashable, CustomStringConvertible {
    /// Ports of web servers; others need a host that is named with its port.
    package static let usualPorts: Set<Int> = [443, 8443]

    /// The name or address, in the form that `DriveAddress` writes.
    package let name: String
    /// Nil for the usual ports.
    package let port: Int?

    /// Reads `HOST` or `HOST:PORT`. Nil for a text that is none.
    package init?(_ text: String) {
        guard !text.contains(where: { "/?#@\\".contains($0) }), let address = DriveAddress("https://\(text)") else {
            return nil
        }
        name = address.host
        port = text.hasSuffix(":\(address.port)") ? address.port : nil
    }

    /// Whether a host is named or numbered as this machine itself.
    package static func isThisMachine(_ host: String) -> Bool {
        IPAddress.isLoopback(host: host) || host.hasSuffix(".localhost")
    }

    /// Whether a port of the host is allowed.
    package func allows(_ port: Int) -> Bool { self.port.map { $0 == port } ?? Self.usualPorts.contains(port) }

    package var description: String {
        let shown = IPAddress.urlHost(name)
        return port.map { "\(shown):\($0)" } ?? shown
    }
}
