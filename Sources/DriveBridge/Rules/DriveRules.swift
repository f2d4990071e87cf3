package import FundCore

/// Kinds and hosts of drives that the administrators allow.
package struct DriveRules: Sendable, Hashable {
    /// The kinds of stores. One that people sign in to on its own pages needs a client, too.
    package var kinds: Set<DriveKind> = DriveRules.offered
    /// This program as the company registered it, by the kind of store.
    package var clients: [DriveKind: DriveClient] = [:]
    /// The address of this server to which the pages of stores lead back; nil where it is not known, and no kind with
    /// such pages is offered.
    package var signInAddress: String?
    /// Hosts that may be reached, with those below them (`example.com` stands for `cloud.example.com`, too). Empty for
    /// all hosts of the public internet.
    package var hosts: [DriveHost] = []
    /// Hosts that may have addresses of a private network. They need not stand in `hosts`.
    package var privateHosts: [DriveHost] = []
    /// PEM of private authorities for the certificates of stores, beside those that the system trusts.
    package var authorityFile: String?

    package init() {}

    /// Kinds that sign in by passwords and keys: they need no client.
    package static let offered = Set(DriveKind.allCases.filter { !$0.usesOAuth })

    /// Whether people may add drives of a kind.
    package func offers(_ kind: DriveKind) -> Bool {
        kinds.contains(kind) && (!kind.usesOAuth || clients[kind] != nil && signInAddress != nil)
    }

    /// Ports of stores; others need a host that is named with its port.
    static let usualPorts: Set<Int> = [443, 8443]

    /// Whether a host may be reached, and if so, whether its addresses may be private.
    enum Verdict: Sendable, Hashable {
        case forbidden
        case isPublic
        case mayBePrivate
    }

    /// - Parameter host: as `DriveAddress` writes it.
    func verdict(on host: String, _ port: Int) -> Verdict {
        if privateHosts.contains(where: { $0.name == host && $0.allows(port) }) { return .mayBePrivate }
        let isNamed = hosts.contains { ($0.name == host || host.hasSuffix(".\($0.name)")) && $0.allows(port) }
        return isNamed || hosts.isEmpty && Self.usualPorts.contains(port) ? .isPublic : .forbidden
    }
}

/// A host as administrators name it, with a port where it is none of the usual ones.
package struct DriveHost: Sendable, Hashable, CustomStringConvertible {
    /// The name or address, in the form that `DriveAddress` writes.
    package let name: String
    /// Nil for the usual ports.
    package let port: Int?

    /// Reads `HOST` or `HOST:PORT`. Nil for a text that is none, and for this machine's own names: rclone asks no proxy
    /// about `localhost` and 127.0.0.0/8, and in its network they are empty.
    package init?(_ text: String) {
        guard !text.contains(where: { "/?#@\\".contains($0) }), let address = DriveAddress("https://\(text)"),
            !Self.isThisMachine(address.host)
        else { return nil }
        name = address.host
        port = text.hasSuffix(":\(address.port)") ? address.port : nil
    }

    static func isThisMachine(_ host: String) -> Bool {
        let bytes = IPAddress(host: host)?.bytes
        let ownAddress: [UInt8] = Array(repeating: 0, count: 15) + [1]
        return host == "localhost" || host.hasSuffix(".localhost") || bytes?.count == 4 && bytes?.first == 127
            || bytes == ownAddress
    }

    func allows(_ port: Int) -> Bool { self.port.map { $0 == port } ?? DriveRules.usualPorts.contains(port) }

    package var description: String {
        let shown = name.contains(":") ? "[\(name)]" : name
        return port.map { "\(shown):\($0)" } ?? shown
    }
}
