package import FundCore

/// A file as it is served.
package struct ServedContent: Sendable {
    package var digest: ContentDigest
    /// Bytes.
    package var size: Int64
    package var name: String
    package var contentType: String
    /// Nil for attachments and raw messages, which never change.
    package var modifiedAt: Timestamp?
    /// Displayed by a browser instead of saved, if its type allows it.
    package var isInline = false
    /// Path of a raw message; nil for blobs.
    package var path: String?

    package init(digest: ContentDigest, size: Int64, name: String, contentType: String, modifiedAt: Timestamp? = nil) {
        self.digest = digest
        self.size = size
        self.name = name
        self.contentType = contentType
        self.modifiedAt = modifiedAt
    }

    package init(_ file: FileEntry) {
        self.init(
            digest: file.digest, size: file.size, name: file.name, contentType: file.contentType,
            modifiedAt: file.modifiedAt)
    }

    package init(_ attachment: AttachmentEntry) {
        self.init(
            digest: attachment.digest, size: attachment.size, name: attachment.name,
            contentType: attachment.contentType)
    }
}
