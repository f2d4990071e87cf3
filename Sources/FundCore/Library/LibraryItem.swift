/// A fund as its owner sees it.
package struct FundEntry: Sendable, Hashable {
    package var id: Fund.ID
    package var name: String
    package var aliases: [String]
    package var createdAt: Timestamp
    package var modifiedAt: Timestamp
    /// Set while it can still be restored.
    package var deletedAt: Timestamp?
    package var isFavourite: Bool
    /// Out of sight since `deletedAt`, and never purged.
    package var isArchived = false
    /// The fund that lost this name to it, see `Fund.tookNameFrom`.
    package var tookNameFrom: String?

    package init(
        id: Fund.ID, name: String, aliases: [String] = [], createdAt: Timestamp, modifiedAt: Timestamp,
        deletedAt: Timestamp? = nil, isFavourite: Bool = false
    ) {
        self.id = id
        self.name = name
        self.aliases = aliases
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
        self.isFavourite = isFavourite
    }
}

/// A folder in a fund.
package struct FolderEntry: Sendable, Hashable {
    package typealias ID = FundCore.ID<FolderEntry>
    package var id: ID
    package var fund: Fund.ID
    /// Nil at the top of the fund.
    package var parent: ID?
    package var name: String
    package var createdAt: Timestamp
    package var modifiedAt: Timestamp
    package var deletedAt: Timestamp?

    package init(id: ID, fund: Fund.ID, parent: ID?, name: String, createdAt: Timestamp, modifiedAt: Timestamp) {
        self.id = id
        self.fund = fund
        self.parent = parent
        self.name = name
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
    }
}

/// A file in a fund: what its owner sees of an attachment or an upload.
package struct FileEntry: Sendable, Hashable {
    package typealias ID = FundCore.ID<FileEntry>
    package var id: ID
    package var fund: Fund.ID
    /// Nil at the top of the fund.
    package var folder: FolderEntry.ID?
    package var name: String
    /// Of the content; the blob's name.
    package var digest: ContentDigest
    /// Bytes.
    package var size: Int64
    package var contentType: String
    package var createdAt: Timestamp
    package var modifiedAt: Timestamp
    package var deletedAt: Timestamp?
    /// The attachment it came from; nil for an upload.
    package var attachment: AttachmentEntry.ID?
    /// The email of that attachment.
    package var email: EmailSummary.ID?
    package var isFavourite = false

    package init(
        id: ID, place: LibraryPlace, name: String, digest: ContentDigest, size: Int64, contentType: String,
        createdAt: Timestamp, modifiedAt: Timestamp
    ) {
        self.id = id
        self.fund = place.fund
        self.folder = place.folder
        self.name = name
        self.digest = digest
        self.size = size
        self.contentType = contentType
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
    }
}

/// Where files and folders lie: the top of a fund, or a folder in it.
package struct LibraryPlace: Sendable, Hashable {
    package var fund: Fund.ID
    package var folder: FolderEntry.ID?

    package init(fund: Fund.ID, folder: FolderEntry.ID? = nil) {
        self.fund = fund
        self.folder = folder
    }
}

/// A named item of a user's library.
package enum LibraryItem: Sendable, Hashable {
    case fund(FundEntry)
    case folder(FolderEntry)
    case file(FileEntry)

    package var itemID: LibraryItemID {
        switch self {
        case .fund(let fund): .fund(fund.id)
        case .folder(let folder): .folder(folder.id)
        case .file(let file): .file(file.id)
        }
    }
}

/// Names an item of a user's library.
package enum LibraryItemID: Sendable, Hashable {
    case fund(Fund.ID)
    case folder(FolderEntry.ID)
    case file(FileEntry.ID)
    case email(EmailSummary.ID)
    case note(NoteEntry.ID)
}

/// What to do when a name is taken where a file or folder is to go.
package enum NameConflict: Sendable, Hashable {
    /// `alreadyExists`.
    case refuse
    /// `report(1).pdf`.
    case number
    /// The existing item is deleted (recoverably) first. A file that a file is copied or uploaded onto keeps its id and
    /// gets the new content; its old content is kept as a deleted file.
    case replace
}
