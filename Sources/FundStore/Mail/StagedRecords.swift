import FundCore

/// The records that `stage` appended for a message, for `commit` and `abandon`.
struct StagedRecords: StagingReceipt {
    /// See `StoreLog.generation`.
    var generation = 0
    /// Record of the raw message; nil when the store held it.
    var message: AppendedRecord?
    var repeated: [RepeatedContent] = []
    /// Whether the raw message stood in the log before it had a row, and stays there whatever becomes of it.
    var isAdopted = false
    /// Records of blobs that the store did not hold: appended for this message, or for another that has no row yet.
    var blobs: [ContentDigest: AppendedRecord] = [:]
    /// Places of blobs that are known and damaged, which their records in `blobs` take.
    var damaged: [ContentDigest: RecordLocation] = [:]
    /// The store holds the message, and it or what it repeats is damaged there: what was appended takes its place.
    var isReplacement = false

    var appended: [AppendedRecord] { blobs.values + [message].compactMap(\.self) }

    func replacement(of blob: ContentDigest) -> BlobRows.Replacement {
        damaged[blob].map { .record($0) } ?? .nothing
    }
}

extension StagedMessage {
    var records: StagedRecords {
        get { receipt as? StagedRecords ?? StagedRecords() }
        set { receipt = newValue }
    }
}
