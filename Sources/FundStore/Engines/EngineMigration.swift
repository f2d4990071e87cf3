internal import Glibc
package import FundCore
import PostgreSQLRoom

/// The move of a store's rows from one engine to the other, while its bytes stay where they are. No other process has
/// the store meanwhile.
///
/// Rows are copied, then each is compared in both, and only then the file that says where rows are changes in one step
/// (`StorePlaces`): until then the store is what it was, and afterwards the rows of before stay as they were, under
/// another name or on the server. A process that was killed anywhere is gone on with by the next.
package struct EngineMigration: Sendable {
    /// The engine that gets the rows.
    package enum Target: Sendable, Hashable {
        /// PostgreSQL, by the address of an empty database, as libpq reads it, without a password.
        case server(String)
        /// SQLite, in the store's folder.
        case folder
    }

    let location: StoreLocation
    let target: Target
    let faults: FaultInjection
    let counter: RowCounter
    let operation: String

    package init(
        of path: String, to target: Target, faults: FaultInjection = .none,
        onProgress: @escaping @Sendable (CopyProgress) -> Void = { _ in }
    ) {
        location = StoreLocation(root: path)
        (self.target, self.faults) = (target, faults)
        counter = RowCounter(onProgress)
        operation = target == .folder ? "move the rows into the folder" : "move the rows to PostgreSQL"
    }

    /// Looks at both sides, and changes nothing. Throws as `run`.
    package func plan() throws -> MigrationPlan {
        try exclusively { owner in
            let places = try StorePlaces.read(location, operation)
            guard let moving = try moving(places) else { return .isThere }
            return try moving.plan(self, owner)
        }
    }

    /// Moves the rows. Throws `notAStore`, `invalid` for a database that has other tables, rows of another version, and
    /// rows that are not whole, `held` while a process uses the store, `conflict` for rows that differ in both
    /// afterwards, `unreachable`, `outOfSpace`, `io`. The store is what it was then.
    package func run() throws -> MigrationReport {
        try exclusively { owner in
            let places = try StorePlaces.read(location, operation)
            if places?.rows != nil { try putAside(owner) }
            guard let moving = try moving(places) else { return MigrationReport() }
            return try moving.run(self, owner)
        }
    }

    /// The work that is left; nil where the rows are where they are wanted.
    private func moving(_ places: StorePlaces?) throws -> (any RowMove)? {
        switch (target, places?.rows) {
        case (.server(let address), nil): return MoveToServer(address: address)
        case (.server(let address), let rows?):
            let wanted = try StorePlaces(store: places?.store ?? 0, rows: address).rowSettings(operation)
            let own = try places?.rowSettings(operation)
            let names = ["host", "hostaddr", "port", "dbname"]
            guard names.allSatisfy({ wanted?.value(of: $0) == own?.value(of: $0) }) else {
                throw StoreError(
                    .invalid, operation,
                    "its rows are on a server already (\(rows)): move them into the folder first (`fundmail migrate "
                        + "--to sqlite`)")
            }
            return nil
        case (.folder, _?): return places.map(MoveToFolder.init)
        case (.folder, nil): return nil
        }
    }

    private func exclusively<Value>(_ body: (FileOwner?) throws -> Value) throws -> Value {
        try StoreError.wrapping(operation) {
            try StoreGround(location: location, operation: operation).checkFile(.readOnly)
            let owner = FileOwner(of: location.root)
            let (writeLock, useLock) = (
                try FileLock(path: location.writeLock, owner: owner), try FileLock(path: location.useLock, owner: owner)
            )
            defer {
                useLock.close()
                writeLock.close()
            }
            guard try writeLock.acquire(waitingUpTo: .zero), try useLock.acquire(waitingUpTo: .zero) else {
                throw StoreError(
                    .held, operation, "a process uses the store: end `fundmail serve`, `watch` and what else runs")
            }
            return try body(owner)
        }
    }

    /// Keeps a database that stands where rows are on a server, and has older versions refuse the folder. Gives the
    /// name under which it is kept; nil where there is none. Does nothing the second time.
    @discardableResult
    func putAside(_ owner: FileOwner?) throws -> String? {
        guard DiskFile.size(of: location.database) ?? 0 > 0,
            try !DatabaseFile.read(location.database, RowsElsewhere.isMarked)
        else { return nil }
        var name = "\(StoreLocation.databaseName).before-postgresql-\(UTCStamp.basic(.now))"
        if DiskFile.kind(of: location.path(name)) != nil { name = DiskDirectory.uniqueName(prefix: name) }
        for suffix in ["", "-wal"] where DiskFile.size(of: location.database + suffix) ?? 0 > 0 {
            guard link(location.database + suffix, location.path(name) + suffix) == 0 else {
                throw DiskError("keep", location.path(name))
            }
        }
        for path in [location.writeAheadLog, location.sharedMemory] { unlink(path) }
        try RowsElsewhere.put(at: location, owner: owner)
        return name
    }

    /// Compares each row of both sides. Throws `conflict` for the first that differs, after `forget`.
    func compare(
        _ source: Database, with copy: Database, _ outline: SchemaOutline, forget: (StoreTable) throws -> Void
    ) throws -> MigrationReport {
        var report = MigrationReport()
        counter.begin(.comparing, of: try source.countRows(of: outline.tables) + copy.countRows(of: outline.tables))
        for table in outline.tables {
            let own = try source.digests(of: table) { _ in counter.count() }
            let others = try copy.digests(of: table) { _ in counter.count() }
            if let equal = own.agreement(with: others) {
                let row = try source.difference(in: table, from: copy, behind: equal)
                try forget(table)
                throw StoreError(
                    .conflict, operation,
                    "\(row) is not the same on both sides: it changed on the way. The store is what it was; run the "
                        + "command again, which copies that table anew")
            }
            report.tables += 1
            report.rows += own.count
            report.bytes += own.bytes
        }
        let (own, others) = (try source.lastNumbers(), try copy.lastNumbers())
        for table in outline.tables where table.keepsNumbers && others[table.name] ?? 0 < own[table.name] ?? 0 {
            throw StoreError(.conflict, operation, "\(table.name) would give numbers again that it gave before")
        }
        return report
    }
}

/// The work of a migration in one direction.
protocol RowMove {
    func plan(_ migration: EngineMigration, _ owner: FileOwner?) throws -> MigrationPlan
    func run(_ migration: EngineMigration, _ owner: FileOwner?) throws -> MigrationReport
}

/// The amount of work of a migration.
package enum MigrationPlan: Sendable, Hashable {
    /// The rows are where they are wanted.
    case isThere
    /// - Parameters:
    ///   - rows: number of rows of all tables.
    ///   - bytes: size of the database that has them now.
    ///   - isContinued: whether a part of them was copied before.
    case moves(rows: Int, bytes: Int64, isContinued: Bool)
}

/// Result of a migration.
package struct MigrationReport: Sendable, Hashable {
    /// Counts of what was compared in both engines; 0 where the rows were where they are wanted.
    package var tables = 0
    package var rows = 0
    /// Bytes of the values.
    package var bytes: Int64 = 0
    /// The rows of before: name of the file in the store, or address of the database; nil where there are none.
    package var kept: String?
}
