/// A folder in a fund.
package struct FolderEntry: Sendable, Hashable {
    package typealias ID = FundCore.ID<FolderEntry>
    package var id: ID
    package var fund: Fund.ID
    /// Nil at the top of the fund.
    package var parent: ID?
    package var name: String
    package var createdAt: Timestamp
    package var modifiedAt: Timestamp
    package var deletedAt: Timestamp?

    package init(id: ID, fund: Fund.ID, parent: ID?, name: String, createdAt: Timestamp, modifiedAt: Timestamp) {
        self.id = id
        self.fund = fund
        self.parent = parent
        self.name = name
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
    }
}
