/// A thing in which all words of a search occur.
package struct SearchHit: Sendable, Hashable {
    package var item: LibraryItemID
    package var fund: Fund.ID
    package var fundName: String
    /// Name, subject or title.
    package var title: String
    /// Time at which it came in, or was changed last.
    package var date: Timestamp
    /// Some words around the first match in its text, or else in its names; the beginning of its text when the match
    /// lies far behind. Without line ends and controls, one piece after the other.
    package var excerpt: [ExcerptPiece] = []
    /// The page of a file on which the excerpt stands, from 1; nil where it has no pages, or the match is in its name.
    package var page: Int?
    /// The content of a file.
    package var content: PreviewedFile?
    package var isFavourite = false
    /// Name or address of the person who wrote an email; nil where it names none.
    package var sender: String?

    package init(item: LibraryItemID, fund: Fund.ID, fundName: String, title: String, date: Timestamp) {
        self.item = item
        self.fund = fund
        self.fundName = fundName
        self.title = title
        self.date = date
    }
}

/// A part of an excerpt, which matches what was searched for or does not.
package struct ExcerptPiece: Sendable, Hashable {
    package var text: String
    package var isMatch: Bool

    package init(_ text: String, isMatch: Bool = false) {
        self.text = text
        self.isMatch = isMatch
    }
}
