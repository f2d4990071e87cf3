/// The room of a user's files (RFC 4331 §2), in bytes.
package struct StorageUse: Sendable, Hashable {
    /// Bytes of the contents of all files, each content once, deleted files that can be restored among them.
    package var used: Int64
    /// Bytes that all users together can still store.
    package var available: Int64

    package init(used: Int64, available: Int64) {
        self.used = used
        self.available = available
    }
}
