import FundCore

/// Appends records to segments of a log that no other process appends to. For any thread.
protocol RecordAppender: AnyObject, Sendable {
    /// Appends a record whose body is `parts`, one after the other. It can be read after the next `sync` alone, is not
    /// durable before it, and does not count before a row knows its location: the next process to take the segment over
    /// cuts off what no row knows at its end. The caller keeps what it gets until the transaction has ended. Throws
    /// `DiskError`, and what the catalog throws; nothing of the record counts then. `hasFailed` says whether what was
    /// appended before is lost, too.
    ///
    /// - Parameter release: gives memory back; called when `MappedBytes.stepBytes` of a large record were written.
    func append(
        _ label: RecordHeader.Label, _ parts: [UnsafeRawBufferPointer], release: () -> Void
    ) throws -> AppendedRecord

    /// Begins a record whose bytes come one after the other.
    func makeLarge(_ kind: RecordHeader.Kind, origin: String, at time: Timestamp) throws -> LargeRecord

    /// Takes a record into the log of which all bytes came (`LargeRecord.finishBody`); as the other `append`.
    ///
    /// - Parameter contentBytes: nil for a body that is the content.
    func append(
        _ record: LargeRecord, of digest: ContentDigest, encoding: RecordHeader.Encoding, contentBytes: Int64?
    ) throws -> AppendedRecord

    /// Makes all records durable that were appended before. After it has thrown a `DiskError`, `append` and `sync`
    /// throw the same for ever, and what was appended since the `sync` before must be appended anew by another
    /// appender: the kernel drops pages that it could not write (fsync(2), NOTES). Throws `logLost` where the log's
    /// folder is gone: what gets a row now would not be found there.
    func sync() throws

    /// Marks in each of their segments that these records have rows; those that got none are left out. The marks need
    /// not be durable: without one a database that is older than the log may not be recognised. Throws as `append`: a
    /// full disk takes none.
    func noteCommits(_ records: some Sequence<AppendedRecord>) throws

    /// Whether nothing can be appended any more; what was appended since the last `sync` is lost then.
    var hasFailed: Bool { get }

    /// Writes what waits, and gives room back that was reserved for more.
    func settle()

    /// `settle`, and lets another process have the segment that is not full: the next record goes to the latest that
    /// may take one.
    func leaveSegment()
}
