/// A message that was kept because it could not be filed, ready to be parsed and routed again.
package struct KeptMessage: Sendable {
    /// The entry in the misrouted report.
    package var misrouteID: MisrouteRecord.ID
    package var reference: SourceReference
    package var digest: ContentDigest
    /// In bytes.
    package var size: Int64
    /// The trust policy under which it came.
    package var trust: TrustPolicy
    /// Set when only its header was fetched: it can be assigned as it is, but not routed as if it were whole.
    package var refusal: Refusal?

    package init(
        misrouteID: MisrouteRecord.ID, reference: SourceReference, digest: ContentDigest, size: Int64,
        trust: TrustPolicy
    ) {
        self.misrouteID = misrouteID
        self.reference = reference
        self.digest = digest
        self.size = size
        self.trust = trust
    }
}
