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
    package var hosts: [AllowedHost] = []
    /// Hosts that may have addresses of a private network. They need not stand in `hosts`.
    package var privateHosts: [AllowedHost] = []
    /// PEM of private authorities for the certificates of stores, beside those that the system trusts.
    package var authorityFile: String?

    package init() {}

    /// Kinds that sign in by passwords and keys: they need no client.
    package static let offered = Set(DriveKind.allCases.filter { !$0.usesOAuth })

    /// Whether people may add drives of a kind.
    package func offers(_ kind: DriveKind) -> Bool {
        kinds.contains(kind) && (!kind.usesOAuth || clients[kind] != nil && signInAddress != nil)
    }

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
        return isNamed || hosts.isEmpty && AllowedHost.usualPorts.contains(port) ? .isPublic : .forbidden
    }
}
