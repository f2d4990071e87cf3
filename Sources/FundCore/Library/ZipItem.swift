/// The selection of a fund's items for a zip file.
package struct ZipSelection: Sendable, Hashable {
    package var fund: Fund.ID
    /// Files, emails, and folders with all that is in them, of this fund; nil for all its folders and files.
    package var items: [LibraryItemID]?
    /// True to include all emails of the fund.
    package var includesEmails: Bool

    package init(fund: Fund.ID, items: [LibraryItemID]? = nil, includesEmails: Bool = false) {
        self.fund = fund
        self.items = items
        self.includesEmails = includesEmails
    }
}

/// One entry of a zip file. A fund may have a hundred thousand, so it is small.
package struct ZipItem: Sendable, Hashable {
    /// The kind of an entry, and the place of its bytes.
    package enum Content: Sendable, Hashable {
        case folder
        case file(FileEntry.ID, ContentDigest)
        /// The message as it came, or what is left of it where that is no longer kept (`retention: raw`).
        case email(EmailSummary.ID, isWhole: Bool)
        /// A file or message that is kept from people: a text that says so stands in its place.
        case withheld(ContentRefusal)
    }

    package var content: Content
    /// Name of a folder or file; the subject of an email, which may be empty. Others chose it.
    package var name: String
    /// The index of the folder that holds it, which stands before it; nil at the top of the zip file.
    package var parent: Int?
    /// Bytes; 0 for a folder, nil for an email that is not whole and what is withheld.
    package var size: Int64?
    /// Modification time; for an email the time at which it came.
    package var modifiedAt: Timestamp

    package init(_ content: Content, _ name: String, in parent: Int?, size: Int64?, modifiedAt: Timestamp) {
        self.content = content
        self.name = name
        self.parent = parent
        self.size = size
        self.modifiedAt = modifiedAt
    }
}
