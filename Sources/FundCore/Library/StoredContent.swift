/// A content of the store, open for reading. For any thread.
package protocol StoredContent: Sendable {
    /// In bytes.
    var size: Int64 { get }
    /// Gives these bytes in their order, in pieces. What the disk has changed is never given. Blocks. Throws
    /// `StoreError` (`corrupted`), and what `consume` throws.
    func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws
    /// Fills `buffer` with the bytes from `offset` on, which lie within the content, if this process has checked them
    /// and they are in memory since. Else returns false: then `buffer` holds nothing that may be used.
    func readWithoutWaiting(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool
    /// Where these bytes stand, under the same conditions, and if the content stands somewhere as it is; else nil.
    func region(_ range: Range<Int64>) -> StoredRegion?
}

/// Bytes of a content where they stand in a file of the store. As long as a copy of it is kept, the file is open and
/// has them, also when they are deleted for good meanwhile.
package struct StoredRegion: Sendable {
    /// Open for reading.
    package let descriptor: Int32
    /// In the file.
    package let offset: Int64
    /// In bytes.
    package let count: Int
    private let owner: any AnyObject & Sendable

    /// - Parameter owner: keeps the file and the bytes as they are.
    package init(descriptor: Int32, offset: Int64, count: Int, owner: any AnyObject & Sendable) {
        self.descriptor = descriptor
        self.offset = offset
        self.count = count
        self.owner = owner
    }

    /// The bytes one after the other, in regions of at most so many.
    package func split(by size: Int) -> [StoredRegion] {
        stride(from: 0, to: count, by: size).map { start in
            StoredRegion(
                descriptor: descriptor, offset: offset + Int64(start), count: min(size, count - start), owner: owner)
        }
    }
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
