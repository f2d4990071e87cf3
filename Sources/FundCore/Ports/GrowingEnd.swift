/// The end of a file at which a process appends.
package struct GrowingEnd: Sendable {
    /// Open for writing, and for appending alone; it stays the file's own.
    package let descriptor: Int32
    /// Bytes that the file may have, with those that stand before the content: one more than the content needs, which
    /// shows that a store sends more than it announces.
    package let maxFileBytes: Int64

    package init(descriptor: Int32, maxFileBytes: Int64) {
        (self.descriptor, self.maxFileBytes) = (descriptor, maxFileBytes)
    }
}
