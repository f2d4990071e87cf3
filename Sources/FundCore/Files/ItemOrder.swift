/// Order of the folders and files of a place, each kind for itself; by size, folders go by name.
package struct ItemOrder: Sendable, Hashable {
    /// Keys by their names in the web API.
    package enum Key: String, Sendable, CaseIterable {
        case name
        case modifiedAt = "modified_at"
        case size
    }

    package var key: Key
    package var isDescending: Bool

    package init(_ key: Key = .name, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }
}
