/// The facts that a letter tells, as they are when it is sent.
package enum LetterFacts: Sendable, Hashable {
    case filed(FiledMailFacts)
    case kept(KeptMailFacts)
    case news(NewsFacts)
    case desk(DeskFacts)
    case letter(WrittenLetterFacts)
    case webhook(StoppedWebhookFacts)
    /// Nothing is left to tell. The reason is a sentence part for people, in English.
    case gone(String)
}

/// The mail that a letter answers. All texts may be hostile.
package struct AnsweredMail: Sendable, Hashable {
    package var subject: String?
    /// Its Message-ID without angle brackets.
    package var messageID: String?
    /// The name of the person who gets the letter.
    package var recipientName: String?

    package init(subject: String?, messageID: String?, recipientName: String?) {
        (self.subject, self.messageID, self.recipientName) = (subject, messageID, recipientName)
    }
}

/// The facts about mail that lies in a fund of its sender.
package struct FiledMailFacts: Sendable, Hashable {
    /// A file that came with the mail, as its owner calls it now.
    package struct File: Sendable, Hashable {
        package var id: FileEntry.ID
        package var name: String
        /// In bytes.
        package var size: Int64

        package init(id: FileEntry.ID, name: String, size: Int64) {
            (self.id, self.name, self.size) = (id, name, size)
        }
    }

    /// Files that a letter names one by one.
    package static let maxFiles = 20

    package var mail: AnsweredMail
    package var email: EmailSummary.ID
    /// The name of the fund in which it is now.
    package var fund: String
    /// The first files that are still there.
    package var files: [File]
    /// Number of files that are still there.
    package var fileCount: Int

    package init(mail: AnsweredMail, email: EmailSummary.ID, fund: String, files: [File], fileCount: Int) {
        self.mail = mail
        self.email = email
        self.fund = fund
        self.files = files
        self.fileCount = fileCount
    }
}

/// The facts about mail that waits. Each fund in it is the sender's own.
package struct KeptMailFacts: Sendable, Hashable {
    /// Funds of the sender that a letter names.
    package static let maxFunds = 5

    package var mail: AnsweredMail
    /// Id of the mail in the list of what the sender wrote.
    package var received: ReceivedMail.ID
    package var reason: Reason
    /// The tag that names no fund, or several.
    package var tag: String?
    /// Names of funds near the tag, best first.
    package var suggestions: [String]
    /// Names of the sender's first funds.
    package var funds: [String]
    /// Number of the sender's funds.
    package var fundCount: Int
    /// Whether the sender may say which of their funds they meant.
    package var isForSender: Bool

    package init(
        mail: AnsweredMail, received: ReceivedMail.ID, reason: Reason, tag: String? = nil, suggestions: [String] = [],
        funds: [String], fundCount: Int, isForSender: Bool
    ) {
        self.mail = mail
        self.received = received
        self.reason = reason
        self.tag = tag
        self.suggestions = suggestions
        self.funds = funds
        self.fundCount = fundCount
        self.isForSender = isForSender
    }
}
