internal import Glibc
import FundCore

/// Copies the rows of a store on a server, as they are at one moment, into a database of SQLite that nothing uses. Rows
/// get their checksums there; the index of words begins anew. A process that was killed is gone on with at the table in
/// which it was, where the marks of the copy are kept.
struct FileCopy {
    private static let operation = "copy rows into a file"

    /// Path of the database.
    let path: String
    let owner: FileOwner?
    let outline: SchemaOutline
    let counter: RowCounter
    var faults = FaultInjection.none

    /// Copies all rows of a store into a new file, compares them with what was read, and has SQLite check the file.
    /// A database that stood there is removed. For backups. Throws `corrupted` for a file that has not what was read.
    static func write(_ server: PostgreSQLRows, to path: String) throws {
        let patient = server.patient()
        defer { patient.close() }
        remove(path)
        let copy = FileCopy(
            path: path, owner: nil, outline: try Schema.migrations.outline(), counter: RowCounter { _ in })
        let digests = try patient.read(operation) { try copy.run(from: .postgreSQL($0)) }
        try DatabaseFile.read(path) { db in
            for table in copy.outline.tables where try db.digests(of: table) != digests[table.name] {
                throw StoreError(.corrupted, operation, "the file has not the rows of \(table.name) that were read")
            }
        }
        try copy.finish()
    }

    static func remove(_ path: String) {
        StoreLocation.removeDatabase(path)
        unlink(path + "-journal")
    }

    /// Copies what is not there, within a transaction of the server. Gives the digests of what it read, by table.
    func run(from source: Database) throws -> [String: RowDigests] {
        let store = try StoreIdentity.of(source) ?? 0
        try prepare(store)
        counter.begin(.copying, of: try source.countRows(of: outline.tables))
        var digests: [String: RowDigests] = [:]
        try DatabaseFile.fill(path, owner: owner) { file in
            for table in outline.tables {
                digests[table.name] = try copy(table, from: source, into: file)
                faults.reach(.afterCopiedTable)
            }
            try file.transaction { try copyNumbers(from: source, into: file) }
        }
        return digests
    }

    /// Makes the tables, without what would work at each row: indexes and triggers.
    private func prepare(_ store: Int64) throws {
        guard DiskFile.size(of: path) ?? 0 == 0 || !isOf(store) else { return }
        Self.remove(path)
        close(try DiskFile.open(path, owner: owner))
        try DatabaseFile.migrate(path, Schema.migrations)
        try DatabaseFile.fill(path, owner: owner) { file in
            try file.transaction {
                for definition in outline.definitions where definition.kind != .table {
                    try file.run(script: "DROP \(definition.kind.rawValue) \(Database.quoted(definition.name))")
                }
                for table in outline.definitions where table.kind == .table && table.name != "grdb_migrations" {
                    try file.execute("DELETE FROM \(Database.quoted(table.name))")
                }
                try CopyMarks.begin(of: store, outline, file)
            }
        }
    }

    /// Whether the file is a copy of the store that was begun. One that cannot be read is none.
    private func isOf(_ store: Int64) -> Bool {
        (try? DatabaseFile.read(path) { try CopyMarks.exist($0) && CopyMarks(db: $0).isOf(store, outline) }) ?? false
    }

    private func copy(_ table: StoreTable, from source: Database, into file: Database) throws -> RowDigests {
        let marks = CopyMarks(db: file)
        if try marks.isCopied(table) {
            // The store may have been used since.
            let digests = try source.digests(of: table) { _ in counter.count() }
            if try marks.has(digests, of: table) { return digests }
        }
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT INTO \(table.quoted) (\(table.list.joined(separator: ", "))) VALUES (\(places))"
        return try file.transaction {
            // Rows of a copy that was not right.
            try file.execute("DELETE FROM \(table.quoted)")
            let digests = try source.digests(of: table) { row in
                try file.execute(sql, row)
                counter.count()
            }
            try marks.note(digests, of: table)
            return digests
        }
    }

    private func copyNumbers(from source: Database, into file: Database) throws {
        let last = try source.lastNumbers()
        for table in outline.tables where table.keepsNumbers {
            try file.file.setLastNumber(of: table.name, to: last[table.name] ?? 0)
        }
    }

    /// Makes indexes, triggers and checksums of rows, and has SQLite check the file: it is the database of a store
    /// then, durably. Throws `corrupted`.
    func finish() throws {
        counter.begin(.indexing)
        try DatabaseFile.fill(path, owner: owner) { file in
            guard try CopyMarks.exist(file) else { return }
            try file.transaction {
                for definition in outline.definitions where definition.kind != .table {
                    try file.run(script: definition.sql)
                }
                try RowChecks.complete(file)
                try CopyMarks.end(file)
            }
        }
        let problems = try DatabaseFile.read(path) { try $0.problems() }
        if let problem = problems.integrity.first ?? problems.references.first {
            throw StoreError(.corrupted, Self.operation, problem)
        }
        try DiskFile.sync(path)
    }
}
