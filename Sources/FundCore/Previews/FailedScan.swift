/// A content at which the scanner failed so often that it is not tried again for a while. It has no verdict.
package struct FailedScan: Sendable, Hashable {
    /// Limit of the contents that are counted for people.
    package static let maxCounted = 1000
    /// Limit of the contents that are named to people: the list has no pages.
    package static let maxShown = 100

    /// Pauses between two tries, by the number that failed.
    package static let waits: [Duration] = [60, 120, 240, 480, 960].map { .seconds($0) }
    /// Pause after the last of them, unless newer signatures come before.
    package static let pause = Duration.seconds(3600)

    package var digest: ContentDigest
    /// In words for an administrator.
    package var problem: String
    /// The last try.
    package var at: Timestamp

    package init(digest: ContentDigest, problem: String, at: Timestamp) {
        self.digest = digest
        self.problem = problem
        self.at = at
    }
}
