package import FundCore

/// Addresses to which webhooks may lead, as the administrators say.
package struct WebhookRules: Sendable, Hashable {
    /// Hosts that may have addresses of a private network, or of this machine, and ports that are none of the usual
    /// ones. All others are of the public internet.
    package var privateHosts: [AllowedHost] = []
    /// PEM of private authorities for the certificates of receivers, beside those that the system trusts.
    package var authorityFile: String?

    package init() {}

    /// The reason for which no delivery goes to an address, as far as it can be told without looking its host up.
    package func problem(with address: WebhookAddress) -> WebhookProblem? {
        if mayBePrivate(address) { return nil }
        let isPublicNumber = IPAddress(host: address.host).map { PublicAddress.isPublic($0.bytes) } ?? true
        guard isPublicNumber, !AllowedHost.isThisMachine(address.host) else { return .privateAddress }
        return AllowedHost.usualPorts.contains(address.port) ? nil : .forbidden
    }

    /// Whether the host of an address is one that may be private.
    func mayBePrivate(_ address: WebhookAddress) -> Bool {
        privateHosts.contains { $0.name == address.host && $0.allows(address.port) }
    }
}
