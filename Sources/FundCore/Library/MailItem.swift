/// An email in a list.
package struct EmailSummary: Sendable, Hashable {
    package typealias ID = FundCore.ID<EmailSummary>
    package var id: ID
    package var fund: Fund.ID
    package var subject: String?
    /// The address of its sender.
    package var from: String?
    /// `Date` as the sender wrote it; may be missing or wrong.
    package var sentAt: Timestamp?
    package var receivedAt: Timestamp
    /// Inline images not counted.
    package var attachmentCount: Int
    package var isFavourite: Bool
    package var deletedAt: Timestamp?

    package init(
        id: ID, fund: Fund.ID, subject: String?, from: String?, sentAt: Timestamp?, receivedAt: Timestamp,
        attachmentCount: Int, isFavourite: Bool = false, deletedAt: Timestamp? = nil
    ) {
        self.id = id
        self.fund = fund
        self.subject = subject
        self.from = from
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        self.attachmentCount = attachmentCount
        self.isFavourite = isFavourite
        self.deletedAt = deletedAt
    }
}

/// An email with all that its reader sees.
package struct EmailEntry: Sendable, Hashable {
    package var summary: EmailSummary
    package var text: String?
    /// As it came: not to be shown without a sandbox.
    package var html: String?
    package var attachments: [AttachmentEntry]
    /// What was wrong with its form, as `Defect` names it.
    package var defects: [String]
    /// `Message-ID` (RFC 5322 §3.6.4) without its brackets; nil when there is none.
    package var internetMessageID: String?

    package init(
        summary: EmailSummary, text: String?, html: String?, attachments: [AttachmentEntry], defects: [String],
        internetMessageID: String?
    ) {
        self.summary = summary
        self.text = text
        self.html = html
        self.attachments = attachments
        self.defects = defects
        self.internetMessageID = internetMessageID
    }

    /// See `VisibleText.of(text:html:)`. Not for the cooperative threads: it may read a long HTML.
    package var plainText: String { VisibleText.of(text: text, html: html) }
}

/// What came with an email; never changes.
package struct AttachmentEntry: Sendable, Hashable {
    package typealias ID = FundCore.ID<AttachmentEntry>
    package var id: ID
    package var email: EmailSummary.ID
    /// Safe to show and to save under.
    package var name: String
    package var contentType: String
    /// Bytes.
    package var size: Int64
    package var digest: ContentDigest
    package var isInline = false
    /// `Content-ID` (RFC 2045 §7), under which its HTML body shows it.
    package var contentID: String?
    /// Where it stood in the message: `2.1.3`.
    package var partPath = ""

    package init(id: ID, email: EmailSummary.ID, name: String, contentType: String, size: Int64, digest: ContentDigest)
    {
        self.id = id
        self.email = email
        self.name = name
        self.contentType = contentType
        self.size = size
        self.digest = digest
    }
}

/// Which emails a list is about. All conditions must hold.
package struct EmailQuery: Sendable, Hashable {
    /// Nil looks into all funds of the user.
    package var fund: Fund.ID?
    /// Words that must occur in subject, sender, body or file names.
    package var text: String?
    /// Part of the sender's address, without regard to case.
    package var sender: String?
    /// `since <= receivedAt < until`.
    package var since: Timestamp?
    package var until: Timestamp?
    package var favouritesOnly = false
    package var deletedOnly = false
    /// By `receivedAt`. With `text` the order is that of the search (`invalid`).
    package var isOldestFirst = false
    /// 1 to 500.
    package var limit = 100
    /// `Page.next` of the page before.
    package var cursor: String?

    package init() {}
}

/// Some of many.
package struct Page<Item: Sendable>: Sendable {
    package var items: [Item]
    /// Gives the next ones; nil when there are none.
    package var next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}

/// What a user wrote into a note.
package struct NoteText: Sendable, Hashable {
    package var title: String
    package var content: String

    package init(title: String, content: String) {
        self.title = title
        self.content = content
    }
}

/// What is to be different about a note.
package struct NoteChange: Sendable, Hashable {
    /// Nil stays as it is at the moment of the change.
    package var title: String?
    package var content: String?
    /// `modifiedAt` of the note that the change was made to; nil changes it whatever it is by now.
    package var unlessChangedSince: Timestamp?

    package init(title: String?, content: String?, unlessChangedSince: Timestamp? = nil) {
        self.title = title
        self.content = content
        self.unlessChangedSince = unlessChangedSince
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

/// A point in the feed of changes.
package struct ChangeCursor: Sendable, Hashable {
    /// Which history of the store the number belongs to: a store restored from a backup goes on with another one.
    package var epoch: Int64
    /// Grows from change to change, those of other users included.
    package var number: Int64

    package init(epoch: Int64, number: Int64) {
        self.epoch = epoch
        self.number = number
    }
}

/// Some of what changed in a user's library.
package struct ChangePage: Sendable, Hashable {
    /// The latest change of one item.
    package struct Change: Sendable, Hashable {
        package var cursor: ChangeCursor
        package var item: LibraryItemID
        /// Out of sight now, whatever the change was.
        package var isDeleted: Bool
        /// As it is now; nil when it is out of sight, and where it was not asked for.
        package var now: ChangedItem?

        package init(cursor: ChangeCursor, item: LibraryItemID, isDeleted: Bool, now: ChangedItem? = nil) {
            self.cursor = cursor
            self.item = item
            self.isDeleted = isDeleted
            self.now = now
        }
    }

    package var changes: [Change]
    /// Where to go on; the number that was given when nothing changed.
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

/// Names a history of a store: another one from the moment on at which the store went on from an earlier state of
/// itself. Neither its size nor the distance between two says anything.
package struct HistoryID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// 16 hexadecimal digits.
    package var description: String { String(UInt64(bitPattern: rawValue), radix: 16).zeroPadded(to: 16) }
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

/// Users whose libraries changed.
package struct ChangedLibraries: Sendable, Hashable {
    /// Of the latest change of any library: grows with each.
    package var number: Int64
    package var owners: Set<User.ID>

    package init(number: Int64, owners: Set<User.ID>) {
        self.number = number
        self.owners = owners
    }
}

/// What to search for.
package struct SearchQuery: Sendable, Hashable {
    package var text: String
    package var fund: Fund.ID?
    /// Nil means all.
    package var kind: ItemKind?
    /// Part of a sender's address, without regard to case: emails from there, and files that came with them.
    package var sender: String?
    /// `since <= SearchHit.date < until`.
    package var since: Timestamp?
    package var until: Timestamp?
    /// 1 to 500.
    package var limit = 100
    package var cursor: String?

    package init(text: String) { self.text = text }
}

/// A thing in which all words of a search occur.
package struct SearchHit: Sendable, Hashable {
    package var item: LibraryItemID
    package var fund: Fund.ID
    package var fundName: String
    /// Name, subject or title.
    package var title: String
    /// When it came in, or was changed last.
    package var date: Timestamp
    /// Some words around the first match in its text, or else in its names; the beginning of its text when the match
    /// lies far behind. Without line ends and controls, one piece after the other.
    package var excerpt: [ExcerptPiece] = []
    /// Of a file: the page on which the excerpt stands, from 1; nil where it has no pages, or the match is in its name.
    package var page: Int?
    /// Of a file.
    package var content: PreviewedFile?

    package init(item: LibraryItemID, fund: Fund.ID, fundName: String, title: String, date: Timestamp) {
        self.item = item
        self.fund = fund
        self.fundName = fundName
        self.title = title
        self.date = date
    }
}

/// A content with its size in bytes.
package struct PreviewedFile: Sendable, Hashable {
    package var digest: ContentDigest
    package var size: Int64
    /// User who wants to see it, or owns it: work is shared out by users. Nil when it is for none in particular.
    package var user: User.ID?

    package init(digest: ContentDigest, size: Int64, for user: User.ID? = nil) {
        self.digest = digest
        self.size = size
        self.user = user
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
