/// A letter that a person wants to send.
package struct NewLetter: Sendable, Hashable {
    /// The way in which items go out.
    package enum Way: String, Sendable, Hashable, CaseIterable {
        /// Along with the letter, or not at all.
        case attached
        /// By a link in the letter.
        case link
        /// Along with the letter where they are small enough, else as a link.
        case automatic
    }

    /// 32 hexadecimal digits that the form carries: sent twice, it makes one letter. Nil for one that is sent once.
    package var key: String?
    package var to: [Addressee]
    package var cc: [Addressee]
    /// Whether the person gets a copy at the address to which answers go.
    package var sendsCopy: Bool
    package var subject: String
    /// Lines end in LF or CRLF.
    package var text: String
    /// Files, folders (each goes as one zip file), notes and filed mail, in the order of the letter. All are the
    /// person's own.
    package var items: [LibraryItemID]
    package var way: Way
    /// The fund in which it is kept; nil for that of the mail that it answers, or else of the first item.
    package var fund: Fund.ID?
    /// The filed mail that it answers.
    package var answered: EmailSummary.ID?

    package init(
        to: [Addressee], cc: [Addressee] = [], sendsCopy: Bool = false, subject: String, text: String,
        items: [LibraryItemID] = [], way: Way = .automatic, fund: Fund.ID? = nil, answered: EmailSummary.ID? = nil,
        key: String? = nil
    ) {
        self.key = key
        self.to = to
        self.cc = cc
        self.sendsCopy = sendsCopy
        self.subject = subject
        self.text = text
        self.items = items
        self.way = way
        self.fund = fund
        self.answered = answered
    }
}
