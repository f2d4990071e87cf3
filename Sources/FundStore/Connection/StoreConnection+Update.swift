import FundCore

extension StoreConnection {
    /// The update that opening a store to write would make; nil where it needs none. Changes nothing. Throws as
    /// `FundStore.open` for what is no store, or one of a later version.
    static func pendingUpdate(of path: String) throws -> UpdatePlan? {
        let (location, operation) = (StoreLocation(root: path), "open the store in \(path)")
        try StorePlaces.requireRowsInFolder(
            location, operation, instead: "the next command says whether they are those of this version")
        let ground = StoreGround(location: location, operation: operation)
        try ground.checkFile(.readOnly)
        let writeLock = try writeLock(location, nil, .readOnly)
        guard try writeLock?.acquire(waitingUpTo: writeLockWait) ?? true else {
            throw StoreError(.held, operation, "another process keeps writing")
        }
        defer { writeLock?.release() }
        let migrations = Schema.migrations
        let space = StoreSpace(location: location, owner: nil, isReadOnly: true)
        return try SnapshotDatabase(of: location).open { database in
            try DatabaseFile.read(database) { db in
                try checkProgram(db, migrations, operation)
                try ground.checkRows(db, .readOnly)
                guard try !migrations.areComplete(in: db) else { return nil }
                return try StoreUpdate.plan(location, db, migrations, room: space.room)
            }
        }
    }
}
