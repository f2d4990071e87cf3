/// A content at which the scanner failed so often that it is not tried again for a while. It has no verdict.
package struct FailedScan: Sendable, Hashable {
    /// Of those that are counted for people.
    package static let maxCounted = 1000
    /// Of those that are named to people: they are not read page by page.
    package static let maxShown = 100

    /// Between two tries, by how many failed.
    package static let waits: [Duration] = [60, 120, 240, 480, 960].map { .seconds($0) }
    /// After the last of them, unless newer signatures come before.
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
