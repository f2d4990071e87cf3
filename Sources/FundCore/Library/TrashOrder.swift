/// Order of deleted items, all kinds together; folders and funds have the size 0.
package struct TrashOrder: Sendable, Hashable {
    /// Keys by their names in the web API.
    package enum Key: String, Sendable, CaseIterable {
        case deletedAt = "deleted_at"
        case name
        case size
    }

    package var key: Key
    package var isDescending: Bool

    /// Without arguments what was deleted latest comes first.
    package init(_ key: Key = .deletedAt, isDescending: Bool = true) {
        self.key = key
        self.isDescending = isDescending
    }
}
