import FundCore

/// The numbers of the whole store where some of them could not be read: those that a backup has may be old, and others
/// are made anew.
struct LostCounters {
    /// Step that is larger than what was counted since any backup.
    private static let step: Int64 = 1 << 32

    let log: StoreLog
    let db: Database

    /// Makes the numbers anew that were lost, and changes the two by which other processes tell that what they keep is
    /// out of date. Gives what is to be said of it.
    func renew(areLost: Bool) throws -> RepairNote? {
        for name in ["directory", "account"] where try areLost || Counter.value(name, db) != nil as Int64? {
            try Counter.set(name, (Counter.value(name, db) ?? Int64.random(in: 0..<Self.step)) + Self.step, db)
        }
        guard areLost else { return nil }
        let isSame = try StoreIdentity.of(db) != nil
        if !isSame { try StoreIdentity.give(db) }
        if try StoreHistory.current(db) == HistoryID(rawValue: 0) { try StoreHistory.give(db) }
        try StoreFingerprints.markAllEarlier(db)
        if try LogPosition.of(db) == 0 { try LogPosition.begin(db) }
        try LogPosition.pass(try log.segments.commitMarks().map(\.position).max() ?? 0, db)
        // The next opening begins a history: ids that were given since must not be given again.
        try StoreHistory.markCopy(db)
        return RepairNote(
            "the numbers of the whole store could not be read and were made anew"
                + (isSame ? "" : "; backups of before are not continued: `fundmail backup` wants another folder"),
            isWhole: true)
    }
}
