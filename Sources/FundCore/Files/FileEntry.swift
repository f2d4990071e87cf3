/// A file in a fund: what its owner sees of an attachment or an upload.
package struct FileEntry: Sendable, Hashable {
    package typealias ID = FundCore.ID<FileEntry>
    package var id: ID
    package var fund: Fund.ID
    /// Nil at the top of the fund.
    package var folder: FolderEntry.ID?
    package var name: String
    /// Digest of the content, the blob's name.
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
