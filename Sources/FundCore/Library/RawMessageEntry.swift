/// The raw message, as a file of the store.
package struct RawMessageEntry: Sendable, Hashable {
    package var digest: ContentDigest
    /// Bytes.
    package var size: Int64
    /// Named by its hash; only to be read.
    package var path: String

    package init(digest: ContentDigest, size: Int64, path: String) {
        self.digest = digest
        self.size = size
        self.path = path
    }
}
