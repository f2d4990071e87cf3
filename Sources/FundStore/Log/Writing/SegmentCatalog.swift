/// The rows of the log's segments. A part that they do not know is never appended to, and never cut: a log whose
/// database is lost or restored stays as it is.
protocol SegmentCatalog: Sendable {
    /// Notes a new segment, durably, before it is made. Its number is above all that were ever given: no number names
    /// two segments, whatever was removed.
    func add() throws -> SegmentNumber
    /// Takes back an added segment that is not made: its number has a file, of a log that is newer than the rows. That
    /// file is not to look like one of which the rows know that it is empty.
    func withdraw(_ number: SegmentNumber) throws
    /// The database's position in the log, see `CommitMark.position`.
    func position() throws -> Int64
    /// Notes that a segment has committed records that the rows do not know, as this mark says: from now on it is left
    /// as it is.
    func leave(_ number: SegmentNumber, _ mark: CommitMark) throws
    /// Segments that may take further records, the latest first.
    func open() throws -> [SegmentNumber]
    /// The end of the committed records of a segment, in bytes; nil when it takes no more, or when it is known with
    /// another salt: then it is another store's file. Called while the segment is locked. It must be a transaction that
    /// writes: what a process committed while it was killed can stand in SQLite's write-ahead log where no connection
    /// sees it, and comes back with the next recovery unless it is written over.
    func takeOver(_ number: SegmentNumber, salt: UInt64) throws -> Int64?
}
