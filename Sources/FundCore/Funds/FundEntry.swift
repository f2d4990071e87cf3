/// A fund as its owner sees it.
package struct FundEntry: Sendable, Hashable {
    package var id: Fund.ID
    package var name: String
    package var aliases: [String]
    package var createdAt: Timestamp
    package var modifiedAt: Timestamp
    /// Set while it can still be restored.
    package var deletedAt: Timestamp?
    package var isFavourite: Bool
    /// Out of sight since `deletedAt`, and never purged.
    package var isArchived = false
    /// The fund that lost this name to it, see `Fund.tookNameFrom`.
    package var tookNameFrom: String?

    package init(
        id: Fund.ID, name: String, aliases: [String] = [], createdAt: Timestamp, modifiedAt: Timestamp,
        deletedAt: Timestamp? = nil, isFavourite: Bool = false
    ) {
        self.id = id
        self.name = name
        self.aliases = aliases
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
        self.isFavourite = isFavourite
    }
}
