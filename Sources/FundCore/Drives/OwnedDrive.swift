/// A drive as administrators see it.
package struct OwnedDrive: Sendable, Hashable {
    package var drive: Drive
    /// The address of its owner.
    package var owner: String
    /// Folders of it that are watched.
    package var watches: Int
    /// The number of these that fail or have stopped.
    package var failingWatches: Int
    /// The problem of the first of these.
    package var watchProblem: DriveProblem?

    package init(
        drive: Drive, owner: String, watches: Int = 0, failingWatches: Int = 0, watchProblem: DriveProblem? = nil
    ) {
        (self.drive, self.owner) = (drive, owner)
        (self.watches, self.failingWatches, self.watchProblem) = (watches, failingWatches, watchProblem)
    }

    /// Whether the drive or a watched folder of it does not work.
    package var isFailing: Bool { drive.problem != nil || failingWatches > 0 }
}
