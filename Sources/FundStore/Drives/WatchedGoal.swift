import FundCore

/// A file of a watched folder that a transfer brings, within one transaction.
struct WatchedGoal {
    let watch: DriveWatch.ID
    let file: WatchedFile

    /// Throws `conflict` when the folder is watched no more, `invalid` for a file that no look has found, as those of a
    /// folder that took the place of a file, and `DriveError` with `changed` for a state of a file that is not the one
    /// that held still.
    init(
        _ path: DrivePath, _ content: String?, of watch: DriveWatch.ID, _ db: Database, _ operation: String
    ) throws {
        let folder: String? = try db.value("SELECT path FROM drive_watch WHERE id = ?", [watch])
        guard let folder else { throw StoreError(.conflict, operation, "the folder is watched no more") }
        guard let name = path.name, path.parent?.description == folder,
            let file = try WatchFileRows(db: db, watch: watch).file(named: name)
        else { throw StoreError(.invalid, operation, "it is no file of the watched folder") }
        guard file.state == .due, file.seen == content else { throw DriveError(.changed) }
        (self.watch, self.file) = (watch, file)
    }

    /// See `WatchFileRows.sameFile`.
    func sameFile(
        as digest: ContentDigest, named name: String, in place: LibraryPlace, _ view: LibraryView
    ) throws -> FileEntry.ID? {
        try WatchFileRows(db: view.db, watch: watch).sameFile(as: digest, file, named: name, in: place, view)
    }

    /// - Parameter isNew: whether the library has one more file.
    func noteFiled(
        _ content: String, _ digest: ContentDigest, as entry: FileEntry.ID, isNew: Bool = true, _ db: Database
    ) throws {
        try WatchFileRows(db: db, watch: watch).noteFiled(file.name, content, digest, as: entry)
        if isNew { try db.execute("UPDATE drive_watch SET files = files + 1 WHERE id = ?", [watch]) }
    }
}
