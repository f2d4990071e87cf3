/// Bounds of what one person has.
package enum DriveLimits {
    package static let maxDrives = 20
    /// Transfers of one person that wait or run.
    package static let maxWaiting = 100
    /// Entries of one folder that are listed; more are `DriveProblem.tooMany`.
    package static let maxEntries = 200_000
}
