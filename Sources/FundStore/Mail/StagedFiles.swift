import FundCore

/// What `stage` wrote for a message, for `commit` and `abandon`.
struct StagedFiles: StagingReceipt {
    /// How many barriers had failed when the files were written.
    var failedBarriers = 0
    /// The raw file was moved into the store.
    var hasMovedRaw = false
    /// Blobs that were written for this message.
    var blobs: [ContentDigest] = []
    /// The attachments were not written, since the same message was filed before.
    var hasNoBlobs = false
}

extension StagedMessage {
    var files: StagedFiles {
        get { receipt as? StagedFiles ?? StagedFiles() }
        set { receipt = newValue }
    }
}
