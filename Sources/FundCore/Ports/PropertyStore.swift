/// Properties that clients keep with an item (RFC 4918 §4.2, dead properties): XML, by `{namespace}name`. See
/// `FileLibrary`.
package protocol PropertyStore: Sendable {
    /// All properties of an item.
    func properties(of item: LibraryItemID, of user: User.ID) async throws -> [String: String]
    /// The folders and files that lie directly in `place` and have properties.
    func itemsWithProperties(in place: LibraryPlace, of user: User.ID) async throws -> Set<LibraryItemID>
    /// Properties of several funds, folders and files: 64 KiB for each at the most, so callers ask for some at a time.
    /// Only items that are there and have properties are in it.
    func properties(of items: [LibraryItemID], of user: User.ID) async throws -> [LibraryItemID: [String: String]]
    /// Changes properties; nil removes one. They move, copy and go with the item. `modifiedAt`, as for
    /// `setModifiedAt`, is set in the same transaction; nil leaves it, and only a file has one (`invalid`).
    func setProperties(
        _ changes: [String: String?], modifiedAt: Timestamp?, of item: LibraryItemID, if condition: ItemCondition?,
        of user: User.ID
    ) async throws
}
