/// The text of a note, as its user wrote it.
package struct NoteText: Sendable, Hashable {
    package var title: String
    package var content: String

    package init(title: String, content: String) {
        self.title = title
        self.content = content
    }

    /// Limit of a title, in bytes: lists and pages have it whole.
    package static let maxTitleBytes = 4000

    /// The problem of a title; nil for one that can be kept.
    package static func problem(ofTitle title: String) -> InputProblem? {
        guard title.utf8.count > maxTitleBytes else { return nil }
        return InputProblem(.titleTooLong, "the title is too long: it may have \(maxTitleBytes) bytes")
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
