internal import Glibc
import FundCore

/// The log without its rows: a database that is missing, empty or new beside segments is no new store. To go on with it
/// would bury what the log holds.
struct StoreGround {
    let location: StoreLocation
    let operation: String

    /// The segments that hold more than their opening: how many, and their bytes.
    private var segments: (count: Int, bytes: Int64) {
        Self.segments(in: location.log) { SegmentNumber(fileName: $0) != nil }
    }

    /// The files of a folder that hold more than an opening, by their names.
    static func segments(in folder: String, _ isSegment: (String) -> Bool) -> (count: Int, bytes: Int64) {
        let names = (try? DiskDirectory.names(in: folder)) ?? []
        return names.filter(isSegment).reduce(into: (0, 0)) { sum, name in
            let size = DiskFile.size(of: "\(folder)/\(name)") ?? 0
            guard size > LogFormat.openingBytes else { return }
            sum = (sum.count + 1, sum.bytes + size)
        }
    }

    /// Throws `notAStore` or `rowsLost` where the database has no bytes, before SQLite looks at it: beside an empty
    /// file SQLite deletes the write-ahead log, which may hold the latest rows.
    func checkFile(_ mode: OpenMode) throws {
        let size = DiskFile.size(of: location.database)
        guard size ?? 0 == 0 else { return }
        let code = errno
        if size == nil, [EACCES, EPERM].contains(code) { throw DiskError("look into", location.root, code: code) }
        let finding = size == nil ? "there is no fundmail.sqlite" : "fundmail.sqlite is empty"
        try refuseLostRows(finding)
        if DiskFile.size(of: location.writeAheadLog) ?? 0 > 0 {
            throw StoreError(
                .rowsLost, operation,
                "\(finding), but fundmail.sqlite-wal holds rows of it. Nothing was changed. Bring the newest backup "
                    + "back (`fundmail restore`)")
        }
        guard mode != .create else { return try refuseMovedLog() }
        throw StoreError(.notAStore, operation, "\(finding); `fundmail init` makes a store")
    }

    /// Throws for a database without tables, unless a store is to be made, and for one without people and segments
    /// beside a log that has some: it was made just now. One that knows people is older than its log, which
    /// `verify --repair` mends. The caller holds the write lock.
    func checkRows(_ db: Database, _ mode: OpenMode) throws {
        if try db.hasNoTables {
            try refuseLostRows("fundmail.sqlite has no tables")
            guard mode == .create else {
                throw StoreError(
                    .notAStore, operation, "fundmail.sqlite has no tables; `fundmail init` makes a store")
            }
            return
        }
        // A database of the first schema may have neither table.
        guard
            try db.hasTable("segment") && db.hasTable("user")
                && (Self.hasRows(of: "segment", db) || Self.hasRows(of: "user", db))
        else {
            return try refuseLostRows("fundmail.sqlite knows nothing of the log", of: try? StoreIdentity.of(db))
        }
        if [.create, .existing].contains(mode) { try checkLog(db) }
    }

    /// `checkRows` for rows on a server, which are those of the store already. Gives up what is missing where `mode`
    /// says so.
    func checkRows(on server: PostgreSQLRows, _ mode: OpenMode) throws {
        guard mode != .readOnly else { return }
        if mode == .acceptingLoss {
            try server.write(operation) { _ = try NeededSegments(location: location, db: .postgreSQL($0)).giveUp() }
        }
        // A segment that another process gives up goes after its rows, and these may have been read before.
        if (try? server.read(operation, checkLog)) == nil { try server.read(operation, checkLog) }
        if try server.read(operation, { try StoreHistory.isCopy(.postgreSQL($0)) }) {
            try server.write(operation) { try StoreHistory.beginIfCopy(.postgreSQL($0)) }
        }
    }

    private func checkLog(_ connection: PostgreSQLConnection) throws { try checkLog(.postgreSQL(connection)) }

    /// A table that cannot be read had rows.
    private static func hasRows(of table: String, _ db: Database) throws -> Bool {
        try Database.readable(or: true) { try db.exists("SELECT 1 FROM \(Database.quoted(table))") }
    }

    /// Throws `logLost` where most of the segments that rows need are missing: what would be written now would stand in
    /// another folder than the rest. Where few are, `verify` names them. The caller holds the write lock.
    private func checkLog(_ db: Database) throws {
        let found = try Database.readable(or: nil) { try NeededSegments(location: location, db: db).lost() }
        guard let found else { return }
        throw StoreError(
            .logLost, operation,
            "\(Self.lostLog(found.missing, of: found.all)) Nothing was changed. Mount it, or put the link right, and "
                + "run the command again. If they are gone for good, bring the newest backup back, all of it "
                + "(`fundmail restore`), or go on without them (`fundmail verify --repair --accept-loss`); "
                + "`fundmail salvage \(location.root) --to DIR` gets mail and files out of what is left. "
                + "`fundmail verify`, `fundmail user list` and `fundmail fund list` read the store as it is")
    }

    /// - Parameters:
    ///   - missing: how many are not there.
    ///   - all: how many the rows need.
    static func lostLog(_ missing: Int, of all: Int) -> String {
        let which =
            if all == 1 { "the one segment that the rows need is not" } else if missing == all {
                "not one of the \(all) segments that the rows need is"
            } else {
                "\(missing) of the \(all) segments that the rows need are not"
            }
        return "\(which) in log/: is a disk not mounted?"
    }

    /// - Parameters:
    ///   - finding: what is wrong with the database, in a few words.
    ///   - store: identity of the store by the database; nil where that has none.
    func refuseLostRows(_ finding: String, of store: Int64? = nil) throws {
        let (count, bytes) = segments
        guard count > 0 else { return try refuseLostBucket(finding, of: store) }
        throw StoreError(
            .rowsLost, operation,
            "\(finding), but log/ holds \(Self.amount(count, bytes)) of a store. Nothing was changed. Bring the newest "
                + "backup back, all of it (`fundmail restore`); or, without one, make the database anew from the log "
                + "with `fundmail rebuild --people FILE.csv`; or get mail and files out with "
                + "`fundmail salvage \(location.root) --to DIR`")
    }

    /// A log of which all segments are in a bucket is not an empty place either, unless the database is that of its
    /// store, which is new then.
    private func refuseLostBucket(_ finding: String, of store: Int64?) throws {
        guard let places = try StorePlaces.read(location, operation), let bucket = places.bytes, places.store != store
        else { return }
        throw StoreError(
            .rowsLost, operation,
            "\(finding), but \(StoreLocation.placesName) says that segments of a store are in "
                + "\(bucket.address). Nothing was changed. Bring the newest backup back, all of it (`fundmail "
                + "restore`); or, without one, get the segments (`fundmail bucket fetch --from … --to DIR`), and "
                + "mail and files out of them with `fundmail salvage` or `rebuild --from`")
    }

    /// A log whose segments were all moved away is not an empty place either.
    private func refuseMovedLog() throws {
        let (count, bytes) = Self.segments(in: location.lost) { $0.contains(SegmentNumber.suffix) }
        guard count > 0 else { return }
        throw StoreError(
            .rowsLost, operation,
            "there is no database, but lost/ holds \(Self.amount(count, bytes)) of a store. Nothing was changed. Bring "
                + "the newest backup back, all of it (`fundmail restore`); or make a store from them with "
                + "`fundmail rebuild --people FILE.csv --from \(location.lost)`; or get mail and files out with "
                + "`fundmail salvage \(location.root) --to DIR`")
    }

    private static func amount(_ count: Int, _ bytes: Int64) -> String {
        "\(count) \(count == 1 ? "segment" : "segments") (\(bytes) bytes)"
    }
}
