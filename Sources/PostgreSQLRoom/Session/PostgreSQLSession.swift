internal import CPostgreSQL
internal import FundCore

/// A connection with its prepared statements and its transaction.
///
/// @unchecked: `PostgreSQLPool` and others that make one hand it to one thread at a time.
package final class PostgreSQLSession: @unchecked Sendable {
    /// The oldest server that is supported, as libpq numbers it.
    private static let oldestVersion = 150_000

    let settings: PostgreSQLSettings
    let line: PostgreSQLLine
    private var statements: StatementCache
    /// Behind a pooler each transaction may run on another connection of the server: no statement is prepared, nothing
    /// is set for longer than a transaction, and nothing is listened to.
    package let isPooled: Bool
    /// The server's process; that of the first question behind a pooler.
    package let process: Int
    /// Raised by the pool when the server answers no more.
    let outage = Interruption(endsLine: true)
    /// Savepoints that are open.
    var savepointCount = 0
    /// The moment at which statements have to end; nil for none but their own limit.
    var end: ContinuousClock.Instant?

    /// Connects and sets what holds for all that follows. Throws `unsuitable` beside the errors of connecting.
    ///
    /// - Parameter spelling: gives the text to which a statement's is changed, before its placeholders get numbers. It
    ///   is called once for each text, and not for scripts.
    package init(
        _ settings: PostgreSQLSettings, interruption: Interruption? = nil,
        spelling: @escaping @Sendable (String) -> String = { $0 }
    ) throws {
        self.settings = settings
        statements = StatementCache(spelling)
        line = try PostgreSQLLine(settings, interruption: interruption)
        guard line.serverVersion >= Self.oldestVersion else {
            throw PostgreSQLError(
                .unsuitable, "connect", "PostgreSQL \(line.serverVersion / 10_000) is too old: 15 is needed")
        }
        let limit = settings.timeouts.connect
        let facts = try line.run("look at the server", atMost: limit) {
            fundmail_PQsendQueryParams(
                $0, "SELECT pg_backend_pid(), current_setting('server_encoding')", 0, nil, nil, nil, nil, 1)
        }
        let row = PostgreSQLResultRow(facts, 0)
        process = try row.value(0) ?? 0
        let encoding: String? = try row.value(1)
        guard encoding == "UTF8" else {
            throw PostgreSQLError(
                .unsuitable, "connect", "the database has the encoding \(encoding ?? ""): UTF8 is needed")
        }
        isPooled = process != line.announcedProcess
        if !isPooled {
            let all = settings.sessionSettings + settings.lineSettings
            let words = all.map { "SET \($0.name) = '\($0.value)'" }
            _ = try line.run("set up the session", atMost: limit) {
                fundmail_PQsendQuery($0, words.joined(separator: ";"))
            }
        }
    }

    /// Whether it is of no more use.
    package var isBroken: Bool { line.isBroken || isPooled && line.wasCancelled }
    package var isInTransaction: Bool { line.isInTransaction }
    package var isEncrypted: Bool { line.isEncrypted }

    /// Has another thread end what runs, with `cancelled`; nil for none.
    package var interruption: Interruption? {
        get { line.interruption }
        set { line.interruption = newValue }
    }

    // MARK: Statements

    /// Runs one statement. Throws `PostgreSQLError`. Outside of a transaction `lost` leaves open whether the changes of
    /// a statement were kept.
    package func run(_ sql: String, _ values: [PostgreSQLParameter] = []) throws -> PostgreSQLResult {
        try run(sql, values, each: nil)
    }

    /// Runs one statement and passes each row as it comes, until `body` returns false: the result is never whole in
    /// memory. `body` asks the database nothing. The rows behind are read and thrown away.
    package func forEach(
        _ sql: String, _ values: [PostgreSQLParameter] = [], _ body: (PostgreSQLResultRow) throws -> Bool
    ) throws {
        _ = try withoutActuallyEscaping(body) { body in
            try run(sql, values) { result in
                for row in 0..<result.rowCount where try !body(PostgreSQLResultRow(result, row)) { return false }
                return true
            }
        }
    }

    /// Statements without arguments, separated by semicolons, of which none is kept: for the schema.
    package func run(script: String) throws {
        let limit = try limit("run a script")
        _ = try line.run("run a script", atMost: limit) { fundmail_PQsendQuery($0, script) }
    }

    private func run(
        _ sql: String, _ values: [PostgreSQLParameter], each: ((PostgreSQLResult) throws -> Bool)?
    ) throws -> PostgreSQLResult {
        var text = statements.text(of: sql)
        guard text.count == values.count else {
            throw PostgreSQLError(
                .misuse, PostgreSQLError.name(of: sql), "\(values.count) arguments for \(text.count) placeholders")
        }
        let nulls = text.nullTested.filter { values[$0 - 1] == .null }
        if !nulls.isEmpty { text = statements.text(of: sql, nulls: nulls) }
        let arguments = BoundArguments(values)
        do {
            return try send(sql, text, arguments, each)
        } catch let error as PostgreSQLError where error.code == .planChanged {
            forgetStatements()
            // Within a transaction the server takes nothing more: the transaction runs again as a whole.
            guard !isInTransaction else { throw error }
            return try send(sql, text, arguments, each)
        }
    }

    private func send(
        _ sql: String, _ text: PlaceholderText, _ arguments: BoundArguments,
        _ each: ((PostgreSQLResult) throws -> Bool)?
    ) throws -> PostgreSQLResult {
        let operation = PostgreSQLError.name(of: sql)
        let name = isPooled ? nil : try prepared(text, arguments.types)
        let types = types(arguments.types, text)
        return try line.run(operation, atMost: limit(operation), each: each) { connection in
            let code = arguments.withPointers { pointers, lengths, formats in
                if let name {
                    return fundmail_PQsendQueryPrepared(
                        connection, name, Int32(arguments.count), pointers, lengths, formats, 1)
                }
                return fundmail_PQsendQueryParams(
                    connection, text.sql, Int32(arguments.count), types.map(\.number), pointers, lengths, formats, 1)
            }
            guard code == 1, each != nil else { return code }
            return fundmail_PQsetSingleRowMode(connection)
        }
    }

    /// The name of a prepared statement, which is prepared now where there is none yet.
    private func prepared(_ text: PlaceholderText, _ types: [PostgreSQLType]) throws -> String {
        if let name = statements.name(of: text.sql, types) { return name }
        if statements.count >= StatementCache.maxCount {
            try run(script: "DEALLOCATE ALL")
            statements.removeAll()
        }
        let (name, declared) = (statements.newName(), self.types(types, text))
        let operation = PostgreSQLError.name(of: text.sql)
        _ = try line.run(operation, atMost: limit(operation)) {
            fundmail_PQsendPrepare($0, name, text.sql, Int32(declared.count), declared.map(\.number))
        }
        statements.note(name, of: text.sql, types)
        return name
    }

    private func types(_ types: [PostgreSQLType], _ text: PlaceholderText) -> [PostgreSQLType] {
        types.enumerated().map { index, type in
            type == .inferred ? text.typesOfNull[index + 1] ?? .inferred : type
        }
    }

    /// Forgets the prepared statements here and in the server.
    private func forgetStatements() {
        statements.removeAll()
        if !isInTransaction { try? run(script: "DEALLOCATE ALL") }
    }

    /// The time that a statement may take now.
    func limit(_ operation: String) throws -> Duration {
        guard let end else { return settings.timeouts.statement }
        let rest = end - .now
        guard rest > .zero else { throw PostgreSQLError(.tookTooLong, operation, "it took too long") }
        return min(rest, settings.timeouts.statement)
    }

    // MARK: Health

    /// Whether the server still answers. Costs a call of the system for a connection that was used just now.
    ///
    /// - Parameter isThorough: asks the server, and waits for `limit` at most.
    package func isAlive(isThorough: Bool, within limit: Duration = .seconds(1)) -> Bool {
        guard !isBroken, !isInTransaction, line.isQuiet else { return false }
        guard isThorough else { return true }
        return (try? line.run("ask whether the server is there", atMost: limit) { fundmail_PQsendQuery($0, "") }) != nil
    }
}
