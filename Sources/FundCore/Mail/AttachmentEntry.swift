/// An attachment of an email; it never changes.
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
    /// Place in the message: `2.1.3`.
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
