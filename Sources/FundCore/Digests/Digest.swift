/// A letter that tells one person what came since the letter before: of news in their funds, or of the desk. One for
/// each person, kind and period.
package enum Digest {
    package typealias ID = FundCore.ID<Digest>

    /// The raw values stand in the database, in JSON and in metrics.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Tells of mail and files in a person's funds.
        case news
        /// Tells an administrator of mail that waits at the desk.
        case desk
    }
}
