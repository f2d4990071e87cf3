import FundCore

/// A row of `deletion`.
enum Deletion {
    /// As its time: it goes for good and cannot be restored. A purge that was interrupted is finished by the next purge of the same
    /// user's items, retention among them, since all else was deleted later.
    static let doomed: Int64 = 0

    /// In SQL, of a row.
    static let isRestorable = "purged_at IS NULL AND at > \(doomed)"
}
