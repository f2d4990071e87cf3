/// The rules for letters of people, by the configuration that holds now.
package struct LetterPolicy: Sendable, Hashable {
    /// Limit of the recipients of one letter, the copy not counted.
    package static let maxRecipients = 50
    /// Limit of the files of one letter.
    package static let maxAttachments = 100
    /// Limit of a text, in bytes: about fifty pages.
    package static let maxTextBytes = 100_000
    /// Limit of a subject, in bytes: longer ones are cut by the programs that show them.
    package static let maxSubjectBytes = 500
    /// Digits of a key, see `NewLetter`.
    package static let keyDigits = 32
    package static let usualAttachmentBytes: Int64 = 20_000_000
    /// Letters of one person within a day, each counted once for each recipient.
    package static let usualPerDay = 200

    /// Limit of the files of one letter together, in bytes, without the coding of mail.
    package var maxAttachmentBytes: Int64
    /// Letters of one person within a day, each counted once for each recipient.
    package var perDay: Int
    /// The address of the sender of all letters: a letter to it would come back into a mailbox of this program.
    package var sender: EmailAddress?
    /// Whether a letter may hold a link: the address of the pages from outside is known.
    package var allowsLinks: Bool
    /// Stands between a local part and a detail (RFC 5233); empty for none.
    package var subaddressSeparator: String

    package init(
        maxAttachmentBytes: Int64 = LetterPolicy.usualAttachmentBytes, perDay: Int = LetterPolicy.usualPerDay,
        sender: EmailAddress? = nil, allowsLinks: Bool = true, subaddressSeparator: String = "+"
    ) {
        self.maxAttachmentBytes = maxAttachmentBytes
        self.perDay = perDay
        self.sender = sender
        self.allowsLinks = allowsLinks
        self.subaddressSeparator = subaddressSeparator
    }
    /// Throws `invalid` for files that have too many bytes together.
    package func check(attachmentBytes size: Int64) throws(StoreError) {
        guard size <= maxAttachmentBytes else {
            throw StoreError(
                "send a letter",
                InputProblem(
                    .letterTooLarge,
                    "the files of a letter may have \(maxAttachmentBytes) bytes together, and these have \(size)"))
        }
    }
}
