/// The rules of one mailbox.
package struct RoutingPolicy: Sendable, Hashable {
    package var trust: TrustPolicy
    /// Tags that mail gateways put in front; compared like fund names.
    package var ignoredTags: [String] = ["EXTERNAL", "EXT", "SPAM"]
    /// RFC 5233; empty turns subaddresses off.
    package var subaddressSeparator = "+"
    /// The choice for senders who made none of their own.
    package var receipts = ReceiptChoice.off

    package init(trust: TrustPolicy) { self.trust = trust }

    /// A copy of the rules with another trust.
    package func trusting(_ trust: TrustPolicy) -> RoutingPolicy {
        var policy = self
        policy.trust = trust
        return policy
    }
}
