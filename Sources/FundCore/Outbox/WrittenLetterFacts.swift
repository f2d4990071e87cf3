/// The facts for a letter that a person wrote, to one of its recipients. All of it was fixed when the person sent it.
package struct WrittenLetterFacts: Sendable, Hashable {
    /// A link in a letter.
    package struct Link: Sendable, Hashable {
        /// Behind the address of the pages.
        package var path: String
        package var expiresAt: Timestamp

        package init(path: String, expiresAt: Timestamp) { (self.path, self.expiresAt) = (path, expiresAt) }
    }

    package var id: PersonalLetter.ID
    /// The name of the person who wrote it.
    package var senderName: String
    /// Their address, to which answers go.
    package var replyTo: String
    package var to: [Addressee]
    package var cc: [Addressee]
    /// The recipient to whom this copy goes.
    package var recipient: Addressee
    package var subject: String
    package var text: String
    package var sentAt: Timestamp
    /// The part of its Message-ID before the `@`, the same for all recipients.
    package var mark: String
    /// The Message-ID of the mail that it answers, without angle brackets; nil for none.
    package var answered: String?
    package var attachments: [LetterAttachment]
    /// The link by which its items go; nil for none.
    package var link: Link?
    /// The detail of the address to which reports about this attempt go: `b.ID.ATTEMPT.MAC`, see `BounceMark`.
    package var bounceMark: String

    package init(
        id: PersonalLetter.ID, senderName: String, replyTo: String, to: [Addressee], cc: [Addressee],
        recipient: Addressee, subject: String, text: String, sentAt: Timestamp, mark: String, answered: String?,
        attachments: [LetterAttachment], link: Link? = nil, bounceMark: String
    ) {
        self.id = id
        self.senderName = senderName
        self.replyTo = replyTo
        self.to = to
        self.cc = cc
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.sentAt = sentAt
        self.mark = mark
        self.answered = answered
        self.attachments = attachments
        self.link = link
        self.bounceMark = bounceMark
    }
}
