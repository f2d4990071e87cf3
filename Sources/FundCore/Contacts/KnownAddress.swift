/// A person whose address stands in a user's filed mail, as its sender or a recipient, or to whom the user wrote.
package struct KnownAddress: Sendable, Hashable {
    /// In the form in which addresses are compared.
    package var address: String
    /// By the latest mail that gave one; not proved by anything.
    package var name: String?
    /// Number of filed mails that name the address.
    package var seenCount: Int
    /// Time of the latest of them.
    package var seenAt: Timestamp?
    /// Number of letters that the user sent there.
    package var usedCount: Int
    /// Time of the latest of them.
    package var usedAt: Timestamp?

    package init(
        address: String, name: String?, seenCount: Int, seenAt: Timestamp?, usedCount: Int, usedAt: Timestamp?
    ) {
        self.address = address
        self.name = name
        self.seenCount = seenCount
        self.seenAt = seenAt
        self.usedCount = usedCount
        self.usedAt = usedAt
    }
}
