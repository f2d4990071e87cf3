import FundCore

/// What `stage` appended for a message, for `commit` and `abandon`.
struct StagedRecords: StagingReceipt {
    /// See `StoreLog.generation`.
    var generation = 0
    /// Of the raw message; nil when the store held it.
    var message: AppendedRecord?
    /// Blobs that the message repeats.
    var repeated: [ParsedAttachment] = []
    /// Of the blobs that the store did not hold: appended for this message, or for another that has no row yet.
    var blobs: [ContentDigest: AppendedRecord] = [:]
    /// The store holds the message, and it or what it repeats is damaged there: what was appended takes its place.
    var isReplacement = false
}

extension StagedMessage {
    var records: StagedRecords {
        get { receipt as? StagedRecords ?? StagedRecords() }
        set { receipt = newValue }
    }
}
