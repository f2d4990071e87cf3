internal import FundCore

/// Decides to which addresses a drive may be connected.
struct EgressPolicy: Sendable {
    var rules: DriveRules
    var resolver: NameResolver = .system
    /// The hosts of a kind of store, see `DriveKind.hosts`; nil for all that the rules allow.
    private var hosts: [String]?

    static let tlsPort = 443

    init(rules: DriveRules, resolver: NameResolver = .system) { (self.rules, self.resolver) = (rules, resolver) }

    /// This policy for a store whose hosts are known. What the administrators say of hosts does not count for these:
    /// they allowed the store.
    /// - Parameter hosts: nil changes nothing.
    func limited(to hosts: [String]?) -> EgressPolicy {
        var policy = self
        policy.hosts = hosts
        return policy
    }

    /// The addresses of a host, each of which may be connected to. Blocks for the time of a look-up.
    ///
    /// Throws `forbidden` for a host or port that the administrators do not allow, `privateAddress` when one of its
    /// addresses is not of the public internet and need be, `unreachable` when it has none.
    func endpoints(of host: String, _ port: Int) throws(DriveError) -> [Endpoint] {
        let verdict = try verdict(on: host, port)
        let found = resolver.endpoints(host, UInt16(port))
        guard !found.isEmpty else { throw DriveError(.unreachable, "\(host) has no address") }
        if verdict == .isPublic, found.contains(where: { !PublicAddress.isPublic($0.address.bytes) }) {
            throw DriveError(.privateAddress, host)
        }
        return found
    }

    /// Throws what can be said before a host is looked up.
    @discardableResult
    func verdict(on host: String, _ port: Int) throws(DriveError) -> DriveRules.Verdict {
        let verdict = verdictOfRules(on: host, port)
        guard verdict != .mayBePrivate else { return verdict }
        if AllowedHost.isThisMachine(host) { throw DriveError(.privateAddress, host) }
        if let address = IPAddress(host: host), !PublicAddress.isPublic(address.bytes) {
            throw DriveError(.privateAddress, host)
        }
        guard verdict == .isPublic else {
            throw DriveError(.forbidden, AllowedHost.usualPorts.contains(port) ? host : "\(host), port \(port)")
        }
        return verdict
    }

    private func verdictOfRules(on host: String, _ port: Int) -> DriveRules.Verdict {
        guard let hosts else { return rules.verdict(on: host, port) }
        let isKnown = hosts.contains { $0.hasPrefix(".") ? host.hasSuffix($0) : host == $0 }
        guard isKnown, port == Self.tlsPort else { return .forbidden }
        return rules.verdict(on: host, port) == .mayBePrivate ? .mayBePrivate : .isPublic
    }
}
