import FundCore

/// Commit mark: the records of its segment that stand before `end` had rows in the database at `position`.
struct CommitMark: Hashable, Sendable {
    /// An offset in the segment.
    var end: Int64
    /// The database's position at that commit, see `LogPosition`; 0 in marks that are older than positions.
    var position: Int64
    /// The store whose database it was, see `StoreIdentity.mark`; the digest of nothing in marks that are older.
    var store: ContentDigest

    /// The digests in marks that name no store: those of older ones, and of a database that has no number.
    static let namelessStores: Set<ContentDigest> = [
        .of([]), .of([UInt8](repeating: 0, count: MemoryLayout<Int64>.size)),
    ]

    init(end: Int64, position: Int64, store: ContentDigest) {
        (self.end, self.position, self.store) = (end, position, store)
    }

    /// Reads the header of a mark; nil for a record of another kind, and for a mark that speaks of what stands behind
    /// it.
    init?(_ header: RecordHeader) {
        let label = header.label
        guard label.kind == .commit, let end = Int64(label.origin), end <= header.offset else { return nil }
        self.init(end: end, position: label.contentBytes, store: label.digest)
    }

    var label: RecordHeader.Label {
        RecordHeader.Label(kind: .commit, digest: store, contentBytes: position, time: .now, origin: String(end))
    }
}
