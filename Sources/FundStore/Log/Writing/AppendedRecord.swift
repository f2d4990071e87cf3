/// A record that has been appended and need not be committed yet. As long as it is kept, no other process takes over
/// the segment that it stands in.
struct AppendedRecord: Sendable {
    let location: RecordLocation
    /// Whether it has its segment for itself.
    let isLarge: Bool
    /// Whether it stood in the log before, without a row: it stays as it is whatever becomes of it.
    let isAdopted: Bool
    /// Salt of its segment.
    var salt: UInt64 { segment.salt }
    let segment: SegmentFile

    init(location: RecordLocation, segment: SegmentFile, isLarge: Bool) {
        self.location = location
        self.segment = segment
        self.isLarge = isLarge
        isAdopted = false
    }

    /// Creates a record that stands in the log already.
    init(adopting location: RecordLocation, in segment: SegmentFile) {
        self.location = location
        self.segment = segment
        (isLarge, isAdopted) = (false, true)
    }

    /// False once it was given up.
    var isLive: Bool {
        get throws {
            try segment.state(ofRecordAt: location.offset) == RecordHeader.State.live.bytes
        }
    }

    /// Notes that a transaction gives the record a row. To be called within it.
    ///
    /// - Parameter position: that the transaction brings the database to, see `LogPosition`.
    func noteUse(at position: Int64) { segment.noteUse(at: position) }

    /// Notes that the transaction was committed.
    func noteCommit(_ step: LogStep) { segment.noteCommit(step) }

    /// Notes that it gets no row. The bytes of a large one go when nothing else keeps it either; those of a small one
    /// stay until the segment is compacted.
    func giveUp() { if isLarge { segment.giveUp() } }

    /// Notes that it gets no row, and that its bytes are needed under another name that a large one has.
    func takeBack() { if isLarge { try? segment.remove() } }
}
