/// The room that a person's files take on the server, and the most that they may take.
public struct StorageRoom: Codable, Sendable, Hashable {
    /// Bytes of all files, with versions, trash and the attachments of mail; nil of a server that does not count them.
    public var usedBytes: Int64?
    /// Limit in bytes; nil for none.
    public var quotaBytes: Int64?

    /// Creates a room.
    public init(usedBytes: Int64?, quotaBytes: Int64?) { (self.usedBytes, self.quotaBytes) = (usedBytes, quotaBytes) }
}
