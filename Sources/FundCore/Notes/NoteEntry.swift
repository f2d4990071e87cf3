/// The text of a note, as its user wrote it.
package struct NoteText: Sendable, Hashable {
    package var title: String
    package var content: String

    package init(title: String, content: String) {
        self.title = title
        self.content = content
    }
}

/// A note in a fund.
package struct NoteEntry: Sendable, Hashable {
    package typealias ID = FundCore.ID<NoteEntry>
    package var id: ID
    package var fund: Fund.ID
    package var text: NoteText
    package var createdAt: Timestamp
    package var modifiedAt: Timestamp
    package var isFavourite: Bool

    package init(
        id: ID, fund: Fund.ID, text: NoteText, createdAt: Timestamp, modifiedAt: Timestamp, isFavourite: Bool = false
    ) {
        self.id = id
        self.fund = fund
        self.text = text
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
        self.isFavourite = isFavourite
    }
}
