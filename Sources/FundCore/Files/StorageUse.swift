/// The room of a user's files (RFC 4331 §2), in bytes.
package struct StorageUse: Sendable, Hashable {
    /// Bytes that count for the user: the attachments of filed mail, and all other files, each in full, with versions
    /// and with what lies in the trash.
    package var used: Int64
    /// The most that they may have; nil for no limit.
    package var limit: Int64?
    /// Bytes that can still be added within their limit and that of the whole store; nil without either.
    package var left: Int64?
    /// Bytes that can still be added: those, as far as the disk has room for them.
    package var available: Int64

    package init(used: Int64, limit: Int64?, left: Int64?, available: Int64) {
        self.used = used
        self.limit = limit
        self.left = left
        self.available = available
    }

    /// Whether so much of the limit is used that the user should know.
    package var isNearlyFull: Bool { limit.map { StorageLimits.isNearlyFull(used, of: $0) } ?? false }
}
