/// One page of the changes in a user's library.
package struct ChangePage: Sendable, Hashable {
    /// The latest change of one item.
    package struct Change: Sendable, Hashable {
        package var cursor: ChangeCursor
        package var item: LibraryItemID
        /// Out of sight now, whatever the change was.
        package var isDeleted: Bool
        /// The item in its present state; nil when it is out of sight, and where it was not asked for.
        package var now: ChangedItem?

        package init(cursor: ChangeCursor, item: LibraryItemID, isDeleted: Bool, now: ChangedItem? = nil) {
            self.cursor = cursor
            self.item = item
            self.isDeleted = isDeleted
            self.now = now
        }
    }

    package var changes: [Change]
    /// The cursor of the next page; the given one when nothing changed.
    package var cursor: ChangeCursor
    package var hasMore: Bool
    /// History of the store when the page was read.
    package var history: HistoryID

    package init(changes: [Change], cursor: ChangeCursor, hasMore: Bool, history: HistoryID) {
        self.changes = changes
        self.cursor = cursor
        self.hasMore = hasMore
        self.history = history
    }
}

/// An item as the feed of changes gives it: an email without its body.
package enum ChangedItem: Sendable, Hashable {
    case item(LibraryItem)
    case email(EmailSummary)
    case note(NoteEntry)

    package var itemID: LibraryItemID {
        switch self {
        case .item(let item): item.itemID
        case .email(let email): .email(email.id)
        case .note(let note): .note(note.id)
        }
    }
}
