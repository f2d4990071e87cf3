/// The changes that opening a store may make in it.
package enum OpenMode: Sendable {
    /// Makes what is missing, in an empty place.
    case create
    case existing
    /// Opens an existing store, and gives up segments that are missing.
    case acceptingLoss
    /// Opens an existing store of which segments may be missing, to fetch them from its bucket.
    case fetching
    /// Makes a new database beside the one that is there, for this process alone: see `DatabaseRebuild`.
    case rebuild
    /// Nothing is written, not even a migration.
    case readOnly

    var isExisting: Bool { [.existing, .acceptingLoss, .fetching].contains(self) }
}
