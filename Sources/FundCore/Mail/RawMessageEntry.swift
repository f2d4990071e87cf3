/// A message as it came.
package struct RawMessageEntry: Sendable, Hashable {
    package var digest: ContentDigest
    /// Bytes.
    package var size: Int64

    package init(digest: ContentDigest, size: Int64) {
        self.digest = digest
        self.size = size
    }
}
