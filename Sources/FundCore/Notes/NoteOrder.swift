/// Order of the notes of a fund.
package struct NoteOrder: Sendable, Hashable {
    /// Keys by their names in the web API.
    package enum Key: String, Sendable, CaseIterable {
        case title
        case createdAt = "created_at"
        case modifiedAt = "modified_at"
    }

    package var key: Key
    package var isDescending: Bool

    package init(_ key: Key, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }
}
