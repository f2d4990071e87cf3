/// A letter that a person wrote, in a list.
package struct LetterSummary: Sendable, Hashable {
    package var id: PersonalLetter.ID
    /// The fund in which it is kept; nil for one about no fund, and where its writer does not have the fund any more.
    package var fund: Fund.ID?
    package var subject: String
    /// Time at which the person sent it.
    package var sentAt: Timestamp
    /// In the order of the letter: `To`, then `Cc`, then the copy.
    package var recipients: [LetterRecipient]
    /// Number of files that go along.
    package var attachmentCount: Int
    /// The filed mail that it answers; nil for none, and where that is not there any more.
    package var answered: EmailSummary.ID?

    package init(
        id: PersonalLetter.ID, fund: Fund.ID?, subject: String, sentAt: Timestamp, recipients: [LetterRecipient],
        attachmentCount: Int, answered: EmailSummary.ID?
    ) {
        self.id = id
        self.fund = fund
        self.subject = subject
        self.sentAt = sentAt
        self.recipients = recipients
        self.attachmentCount = attachmentCount
        self.answered = answered
    }

    /// Whether a recipient has to be looked at: the letter failed, came back, or may have arrived or not.
    package var isTroubled: Bool { recipients.contains { $0.delivery.isTroubled } }
}

/// A letter that a person wrote: what went out, to whom, and what became of it.
package struct PersonalLetter: Sendable, Hashable {
    package typealias ID = FundCore.ID<PersonalLetter>

    package var summary: LetterSummary
    package var text: String
    /// The name in its `From`, as it was when the letter was sent.
    package var senderName: String
    /// The address to which answers go.
    package var replyTo: String
    package var attachments: [LetterAttachment]
    /// The items that it is about, in their order, whether or not they are there still: what was sent as a file, and
    /// what a link leads to.
    package var items: [LibraryItemID]
    /// The link in the letter by which they go; nil for a letter that holds them.
    package var link: ShareLink.ID?

    package init(
        summary: LetterSummary, text: String, senderName: String, replyTo: String, attachments: [LetterAttachment],
        items: [LibraryItemID], link: ShareLink.ID? = nil
    ) {
        self.summary = summary
        self.text = text
        self.senderName = senderName
        self.replyTo = replyTo
        self.attachments = attachments
        self.items = items
        self.link = link
    }
}

/// A file that went along with a letter, as it was then.
package struct LetterAttachment: Sendable, Hashable {
    /// From 1, in the order of the letter.
    package var number: Int
    /// The name in the letter.
    package var name: String
    package var contentType: String
    /// In bytes, without the coding of mail.
    package var size: Int64
    package var digest: ContentDigest
    /// The item of which it was made; nil for a file of the person's machine.
    package var item: LibraryItemID?

    package init(
        number: Int, name: String, contentType: String, size: Int64, digest: ContentDigest, item: LibraryItemID?
    ) {
        self.number = number
        self.name = name
        self.contentType = contentType
        self.size = size
        self.digest = digest
        self.item = item
    }
}
