package import FundCore

/// A file as one request sees it.
package struct ServedContent: Sendable {
    package var digest: ContentDigest
    /// Bytes.
    package var size: Int64
    package var name: String
    package var contentType: String
    /// Seconds since 1970; nil for what never changes.
    package var modifiedAt: Int64?
    /// Shown instead of saved, where its type allows it.
    package var isInline = false
    /// Of a file that is no blob; nil for blobs.
    package var path: String?

    package init(digest: ContentDigest, size: Int64, name: String, contentType: String, modifiedAt: Int64? = nil) {
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

    /// The content's hash: equal wherever and whenever the same bytes are served (RFC 9110 §8.8.3).
    package var entityTag: String { "\"\(digest.hex)\"" }
}
