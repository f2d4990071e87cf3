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
