import FundCore

/// The rest of a backup whose own database cannot be read. The database, and segments that the store has not as they
/// are, go into the backup's `lost/`, where `fundmail salvage` finds them.
struct BackupRemains {
    let backup: StoreLocation
    /// Why the database cannot be read.
    let problem: String
    /// Stamp of names; no two backups of one second have the same.
    private let stamp = DiskDirectory.uniqueName(prefix: UTCStamp.basic(.now))

    /// The contents of a backup's database, or why it cannot be read; neither when there is none.
    ///
    /// - Parameter isQuick: damage of pages that are not needed for that is not looked for.
    static func read(_ backup: StoreLocation, isQuick: Bool = false) throws -> (
        contents: BackupContents?, remains: BackupRemains?
    ) {
        guard let size = DiskFile.size(of: backup.database) else { return (nil, nil) }
        func remains(_ problem: String) -> (BackupContents?, BackupRemains?) {
            (nil, BackupRemains(backup: backup, problem: problem))
        }
        guard size > 0 else { return remains("it is empty") }
        do {
            let (hasTables, problem) = try DatabaseFile.read(backup.database) { db in
                (try db.hasTable("counter"), isQuick ? nil : try db.integrityProblems().first)
            }
            if let problem { return remains(problem.text) }
            guard hasTables else { return remains("it has no tables of a store") }
            return (try BackupContents.read(backup.database), nil)
        } catch let error where ConnectionPool.isDamage(error) { return remains("\(error)") }
    }

    /// Error of a backup of which only older states are left, if it keeps any.
    var error: StoreError {
        let newest = (try? KeptStates(backup: backup).all())?.first?.name
        let states =
            newest.map { "`fundmail restore \(backup.root) --state \($0) --to DIR` makes a store of an older state" }
            ?? "it keeps no older state"
        return StoreError(
            .invalid, "look into the backup \(backup.root)",
            """
            its own fundmail.sqlite is damaged (\(problem)); \(states); `fundmail backup` to this folder makes it \
            whole while the store is there, and `fundmail salvage \(backup.root) --to DIR` gets mail and files out
            """)
    }

    /// Puts a segment aside.
    func keep(_ number: SegmentNumber, from path: String) throws { try move(path, "\(number.fileName).\(stamp)") }

    /// Puts the database aside, and says so.
    func keepDatabase() throws -> String {
        let name = "\(StoreLocation.databaseName).\(stamp)"
        for suffix in StoreLocation.databaseSuffixes.dropFirst()
        where DiskFile.size(of: backup.database + suffix) != nil {
            try move(backup.database + suffix, name + suffix)
        }
        try move(backup.database, name)
        return "the backup's own fundmail.sqlite was damaged (\(problem)): a new one was written, "
            + "and the damaged one is kept as \(backup.lost)/\(name)"
    }

    private func move(_ path: String, _ name: String) throws {
        try DiskDirectory.make(backup.lost, isPrivate: true)
        try DiskFile.rename(path, to: "\(backup.lost)/\(name)")
        try DiskFile.syncNames(in: backup.lost)
    }
}
