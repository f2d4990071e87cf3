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

/// Hashes by which other programs compare files. Weak: they tell accidents, not attacks; `ContentDigest` tells both.
package struct ContentChecksums: Sendable, Hashable {
    /// 16 bytes.
    package var md5: [UInt8]
    /// 20 bytes.
    package var sha1: [UInt8]

    package init(md5: [UInt8], sha1: [UInt8]) {
        self.md5 = md5
        self.sha1 = sha1
    }
}
