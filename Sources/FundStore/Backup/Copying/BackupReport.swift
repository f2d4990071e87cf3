/// Options of a backup: what it may do, and what it keeps.
package struct BackupOptions: Sendable, Hashable {
    /// Default of `keptStates`: a week of daily backups.
    package static let defaultKeptStates = 7

    /// Count of older states of the database that stay in the backup.
    package var keptStates: Int
    /// Whether a backup is replaced that has what the store has not.
    package var isForced: Bool
    /// Whether all that the backup keeps is compared with its checksums, and not the headers of its records alone.
    package var isChecked: Bool

    package init(keptStates: Int = defaultKeptStates, isForced: Bool = false, isChecked: Bool = false) {
        (self.keptStates, self.isForced, self.isChecked) = (keptStates, isForced, isChecked)
    }
}

/// Result of a backup.
package struct BackupReport: Sendable, Hashable {
    /// Bytes of the log that were copied, since no earlier backup had them.
    package var copiedBytes: Int64 = 0
    /// Bytes of the log that the backup holds.
    package var logBytes: Int64 = 0
    package var databaseBytes: Int64 = 0
    package var segments = 0
    /// Count of older states that the backup can give back beside this one.
    package var keptStates = 0
    /// Contents that were replaced by force and are in no backup any more.
    package var loss: BackupLoss?
    /// Damage of the store that could not be copied, one sentence each.
    package var damages: [String] = []
    /// Damage of the backup that was copied anew, one sentence each.
    package var renewals: [String] = []
}
