/// Bounds of what one person has.
package enum DriveLimits {
    package static let maxDrives = 20
    /// Transfers of one person that wait or run.
    package static let maxWaiting = 100
    /// Entries of one folder that are listed; more are `DriveProblem.tooMany`.
    package static let maxEntries = 200_000
    /// Watched folders of one person.
    package static let maxWatches = 50
    /// Files of one watched folder; more are `DriveProblem.tooMany`.
    package static let maxWatchedFiles = 50_000
    /// Bytes in memory of one folder that is listed (`DriveEntry.weight`); more are `DriveProblem.tooMany`.
    package static let maxListingBytes = 128 << 20
    /// The longest time after which a transfer is tried again that a failure put off.
    package static let longestPause = Duration.seconds(3600)
    /// Time for which a transfer that has ended is shown, and can be tried again.
    package static let retention = Duration.seconds(30 * 86_400)
}
