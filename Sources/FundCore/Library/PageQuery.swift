/// Which part of a list is wanted.
package struct PageQuery: Sendable, Hashable {
    package static let maxLimit = 500

    /// 1 to 500; a page is shorter when its items are large.
    package var limit: Int
    /// `Page.next` of the page before; nil for the first.
    package var cursor: String?

    package init(limit: Int = PageQuery.maxLimit, cursor: String? = nil) {
        self.limit = min(max(limit, 1), Self.maxLimit)
        self.cursor = cursor
    }
}

/// One page of the notes of a fund.
package struct NotePage: Sendable, Hashable {
    package var notes: [NoteEntry]
    /// Of those that changed, those that are deleted by now.
    package var deleted: [NoteEntry.ID]
    /// Gives the next ones; nil when there are none.
    package var next: String?

    package init(notes: [NoteEntry], deleted: [NoteEntry.ID], next: String?) {
        self.notes = notes
        self.deleted = deleted
        self.next = next
    }
}

/// How folders and files of a place are ordered, each kind for itself; by size, folders go by name.
package struct ItemOrder: Sendable, Hashable {
    /// As the web API names them.
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
