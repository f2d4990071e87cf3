/// Bytes where they stand in an open file. As long as a copy of it is kept, the file is open and
/// has them, also when they are deleted for good meanwhile.
package struct StoredRegion: Sendable {
    /// Descriptor of the file, open for reading.
    package let descriptor: Int32
    /// Offset of the first byte in the file.
    package let offset: Int64
    /// Number of bytes.
    package let count: Int
    private let owner: any AnyObject & Sendable

    /// - Parameter owner: keeps the file and the bytes as they are.
    package init(descriptor: Int32, offset: Int64, count: Int, owner: any AnyObject & Sendable) {
        self.descriptor = descriptor
        self.offset = offset
        self.count = count
        self.owner = owner
    }

    /// Consecutive regions of these bytes, in order, each of at most `size` bytes.
    package func split(by size: Int) -> [StoredRegion] {
        stride(from: 0, to: count, by: size).map { start in
            StoredRegion(
                descriptor: descriptor, offset: offset + Int64(start), count: min(size, count - start), owner: owner)
        }
    }
}
