/// The state of an upload.
package struct UploadProgress: Sendable, Hashable {
    /// Time after which an upload is removed to which no byte comes, and what is known of a complete one.
    package static let lifetime = Duration.seconds(24 * 60 * 60)

    package var key: UploadKey
    package var goal: UploadGoal
    /// Bytes that are there and stay, also when the power fails.
    package var offset: Int64
    /// Bytes of the whole, once a client has said it.
    package var length: Int64?
    /// The file that the upload became; nil until it is complete.
    package var file: FileEntry.ID?
    /// Time at which the upload is removed unless bytes come.
    package var endsAt: Timestamp

    package init(
        key: UploadKey, goal: UploadGoal, offset: Int64, length: Int64?, file: FileEntry.ID?, endsAt: Timestamp
    ) {
        self.key = key
        self.goal = goal
        self.offset = offset
        self.length = length
        self.file = file
        self.endsAt = endsAt
    }
}
