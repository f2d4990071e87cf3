/// A content of the store, open for reading. For any thread.
package protocol StoredContent: Sendable {
    /// In bytes.
    var size: Int64 { get }
    /// Gives these bytes in their order, in pieces. What the disk has changed is never given. Blocks. Throws
    /// `StoreError` (`corrupted`), and what `consume` throws.
    func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws
    /// Gives these bytes at once if that needs no waiting for the disk; else returns false.
    func readWithoutWaiting(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) -> Void) -> Bool
}

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
