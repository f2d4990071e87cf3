/// The purpose of an upload once all of its bytes are there.
package enum UploadGoal: Sendable, Hashable {
    /// A file under a name. `FileTarget.expected` and `.modifiedAt` are not kept.
    case file(FileTarget)
    /// The content of a file that is there; with a digest only as long as it has that content.
    case content(of: FileEntry.ID, ifStill: ContentDigest?)
}

/// The description of an upload at its beginning.
package struct UploadOrder: Sendable, Hashable {
    package var goal: UploadGoal
    package var contentType: String
    /// Bytes of the whole; nil when the client does not know yet.
    package var length: Int64?
    /// Modification time of the file, as its owner's program has it; nil for when it is complete.
    package var modifiedAt: Timestamp?

    package init(_ goal: UploadGoal, contentType: String, length: Int64?, modifiedAt: Timestamp? = nil) {
        self.goal = goal
        self.contentType = contentType
        self.length = length
        self.modifiedAt = modifiedAt
    }
}
