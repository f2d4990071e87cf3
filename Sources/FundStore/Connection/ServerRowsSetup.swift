import FundCore
internal import Glibc
import PostgreSQLRoom

/// The making of a store whose rows are on a server: tables in an empty database, and a folder that names it.
///
/// A process that is killed in between leaves the draft of `StorePlaces`. By that the next one knows that the tables
/// are those of this folder, and goes on; the tables of every other store are refused.
struct ServerRowsSetup {
    /// Tables, views and sequences among which a name is looked for, but those of extensions of the server.
    private static let relations = """
        SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = ANY (current_schemas(false)) AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
            AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
        """

    let location: StoreLocation
    /// Address of the database, without a password.
    let address: String
    let operation: String

    /// Does nothing to a store that is whole already. Throws `alreadyExists` where the folder or the database has
    /// another store, `notAStore` for a database that cannot have one, `invalid` for the address, `rowsLost`,
    /// `unreachable`, `held`, `io`.
    func run() throws {
        if let rows = try StorePlaces.read(location, operation)?.rows {
            guard rows != address else { return }
            throw StoreError(
                .alreadyExists, operation,
                "a store is there whose rows are in another database; \(location.places) says in which")
        }
        guard let settings = try StorePlaces(store: 0, rows: address).rowSettings(operation) else { return }
        try checkFolder()
        let server = PostgreSQLRows(settings, size: 1)
        defer { server.close() }
        try checkServer(server)
        try location.create()
        let owner = FileOwner(of: location.root)
        guard let useLock = try? FileLock(path: location.useLock, owner: owner), try useLock.acquire(waitingUpTo: .zero)
        else { throw StoreError(.held, operation, "another process uses the store") }
        defer { useLock.release() }
        if try !isBegun(on: server) { try makeTables(on: server, owner: owner) }
        try RowsElsewhere.put(at: location, owner: owner)
        try StorePlaces.takeDraft(location)
    }

    /// The folder may have no rows, and no log of a store.
    private func checkFolder() throws {
        guard let size = DiskFile.size(of: location.database), size > 0 else {
            return try StoreGround(location: location, operation: operation).checkFile(.create)
        }
        guard try DatabaseFile.read(location.database, RowsElsewhere.isMarked) else {
            throw StoreError(
                .alreadyExists, operation,
                "a store is there whose rows are in the folder; `fundmail migrate --to` takes them to a server")
        }
    }

    private func checkServer(_ server: PostgreSQLRows) throws {
        guard try !server.ask(operation, { $0.session.isPooled }) else {
            throw StoreError(
                .invalid, operation,
                "a pooler (PgBouncer) stands before the server, and would keep the news of changes back: name the "
                    + "server itself (its port is 5432, as a rule)")
        }
    }

    /// Whether the tables of this very store are there. Throws `alreadyExists` where the database has others.
    private func isBegun(on server: PostgreSQLRows) throws -> Bool {
        guard let count: Int = try server.ask(operation, { try $0.value(Self.relations) }), count > 0 else {
            return false
        }
        let advice = "make a database of its own for this one: createdb --encoding=UTF8 --template=template0 NAME"
        guard (try? server.checkSchema(operation)) != nil else {
            throw StoreError(.alreadyExists, operation, "the database has tables already; \(advice)")
        }
        let identity = try server.ask(operation) { try StoreIdentity.of(.postgreSQL($0)) }
        let draft = try StorePlaces.readDraft(location, operation)
        guard let draft, draft.rows == address, draft.store == identity else {
            throw StoreError(.alreadyExists, operation, "the database has the rows of another store; \(advice)")
        }
        return true
    }

    /// One description of the tables serves both engines: that of SQLite.
    private func makeTables(on server: PostgreSQLRows, owner: FileOwner?) throws {
        let path = "\(location.database).new"
        StoreLocation.removeDatabase(path)
        close(try DiskFile.open(path, owner: owner))
        defer { StoreLocation.removeDatabase(path) }
        let pool = try ConnectionPool(path: path, isReadOnly: false)
        defer { try? pool.close() }
        try Schema.migrations.run(on: pool)
        try pool.read { db in
            guard let identity = try StoreIdentity.of(db) else {
                throw StoreError(.io, operation, "the new store has no identity")
            }
            try StorePlaces(store: identity, rows: address).writeDraft(to: location, owner: owner)
            try PostgreSQLSchema.copy(from: db, to: server)
        }
    }
}
