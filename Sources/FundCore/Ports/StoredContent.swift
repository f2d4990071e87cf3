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
    /// The region of these bytes in a file, under the same conditions, for a content that stands somewhere as it is;
    /// else nil.
    func region(_ range: Range<Int64>) -> StoredRegion?
}
