package import FundCore

/// One state of a store that a backup can give back.
package struct BackupState: Sendable, Hashable {
    /// Name among the states of the backup; nil for the latest, which lies there as it is.
    package var name: String?
    /// When it was copied.
    package var time: Timestamp
    /// Counts the backups of the store; 0 of one that an older version made.
    package var number: Int64
    /// Commits of mail and files that the store had seen, see `LogPosition`; 0 of one by an older version.
    package var commits: Int64
    /// Bytes of the database on the backup's disk.
    package var databaseBytes: Int64
    /// Parts of the log that its rows need.
    var segments: [SegmentNumber: BackupContents.Segment]
    /// Reason why that is not known; nil where it is. Its database may be whole all the same.
    package var problem: String?

    /// Whether it needs bytes of this segment, as far as that is known.
    func needs(_ number: SegmentNumber) -> Bool { problem != nil || segments[number] != nil }
}
