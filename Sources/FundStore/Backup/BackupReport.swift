/// What a backup may do, and keeps.
package struct BackupOptions: Sendable, Hashable {
    /// A week of daily backups.
    package static let defaultKeptStates = 7

    /// How many older states of the database stay in the backup.
    package var keptStates: Int
    /// Replaces a backup that has what the store has not.
    package var isForced: Bool
    /// Compares all that the backup keeps with its checksums, and not the headers of its records alone.
    package var isChecked: Bool

    package init(keptStates: Int = defaultKeptStates, isForced: Bool = false, isChecked: Bool = false) {
        (self.keptStates, self.isForced, self.isChecked) = (keptStates, isForced, isChecked)
    }
}

/// What a backup did.
package struct BackupReport: Sendable, Hashable {
    /// Of the log, as far as they were not there from an earlier backup.
    package var copiedBytes: Int64 = 0
    /// All that the backup holds of the log.
    package var logBytes: Int64 = 0
    package var databaseBytes: Int64 = 0
    package var segments = 0
    /// Older states that the backup can give back beside this one.
    package var keptStates = 0
    /// What was replaced by force and is in no backup any more.
    package var loss: BackupLoss?
    /// What is damaged in the store and could not be copied, one sentence each.
    package var damages: [String] = []
    /// What was damaged in the backup and was copied anew, one sentence each.
    package var renewals: [String] = []
}
