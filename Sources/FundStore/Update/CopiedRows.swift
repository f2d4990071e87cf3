import FundCore

/// A copy of the rows of a store that an update made.
struct CopiedRows {
    let path: String
    /// Number of their schema.
    let schema: Int
    /// See `UpdateMark`.
    let mark: Int64?

    /// Nil when there is none, and for a file that cannot be read as such rows.
    init?(_ path: String, _ migrations: Migrations) {
        guard DiskFile.kind(of: path) == .file else { return nil }
        let found = try? DatabaseFile.read(path) { db in
            (schema: try migrations.steps.count - migrations.pending(in: db).count, mark: try UpdateMark.ofCopy(db))
        }
        guard let found, found.schema > 0 else { return nil }
        (self.path, schema, mark) = (path, found.schema, found.mark)
    }
}
