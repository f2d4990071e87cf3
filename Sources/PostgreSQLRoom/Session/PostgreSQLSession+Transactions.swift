internal import CPostgreSQL

extension PostgreSQLSession {
    /// Commits what `body` changes, or nothing when it throws. Throws `uncertain` when the line ends before the answer
    /// to COMMIT, and `lost` when it ends before.
    @discardableResult
    package func transaction<Value>(
        _ isolation: TransactionIsolation, isReadOnly: Bool = false, _ body: () throws -> Value
    ) throws -> Value {
        guard !isInTransaction else {
            throw PostgreSQLError(.misuse, "begin a transaction", "one runs already")
        }
        try begin(isolation, isReadOnly)
        let value: Value
        do { value = try body() } catch {
            rollBack()
            throw error
        }
        try commit()
        return value
    }

    private func begin(_ isolation: TransactionIsolation, _ isReadOnly: Bool) throws {
        savepointCount = 0
        var words = ["BEGIN ISOLATION LEVEL \(isolation.rawValue)\(isReadOnly ? " READ ONLY" : "")"]
        if isPooled { words += settings.sessionSettings.map { "SET LOCAL \($0.name) = '\($0.value)'" } }
        let limit = try limit("begin a transaction")
        do {
            _ = try line.run("begin a transaction", atMost: limit) {
                fundmail_PQsendQuery($0, words.joined(separator: ";"))
            }
        } catch {
            if isInTransaction { rollBack() }
            throw error
        }
    }

    /// Commits, however late it is: to be interrupted now would leave open what was kept.
    private func commit() throws {
        line.isCommitting = true
        defer { line.isCommitting = false }
        let result = try line.run("commit", atMost: settings.timeouts.commit, isInterruptible: false) {
            fundmail_PQsendQuery($0, "COMMIT")
        }
        // The server answers so to the COMMIT of a transaction in which a statement failed.
        guard result.tag == "COMMIT" else {
            throw PostgreSQLError(.misuse, "commit", "a statement of the transaction failed, and nothing was kept")
        }
    }

    /// Ends the transaction without its changes. A connection on which that fails is given up, which has the server do
    /// the same.
    private func rollBack() {
        guard !line.isBroken else { return }
        let result = try? line.run("roll back", atMost: settings.timeouts.answer, isInterruptible: false) {
            fundmail_PQsendQuery($0, "ROLLBACK")
        }
        if result == nil || isInTransaction { line.giveUp() }
    }

    /// Keeps the changes of `body` within a transaction, or undoes them alone when it throws: then the transaction can
    /// go on.
    @discardableResult
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        guard isInTransaction else { throw PostgreSQLError(.misuse, "set a savepoint", "there is no transaction") }
        savepointCount += 1
        defer { savepointCount -= 1 }
        let name = "fundmail_\(savepointCount)"
        try run(script: "SAVEPOINT \(name)")
        let value: Value
        do { value = try body() } catch {
            try? undo(to: name)
            throw error
        }
        try run(script: "RELEASE SAVEPOINT \(name)")
        return value
    }

    private func undo(to name: String) throws {
        guard !line.isBroken else { return }
        _ = try line.run("undo to a savepoint", atMost: settings.timeouts.answer, isInterruptible: false) {
            fundmail_PQsendQuery($0, "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
        }
    }

    /// Ends the statements of `body` with `tookTooLong` once it has taken longer than `limit`. A transaction around it
    /// can go on.
    @discardableResult
    package func limited<Value>(to limit: Duration, _ body: () throws -> Value) throws -> Value {
        let outer = end
        end = min(outer ?? .now + limit, .now + limit)
        defer { end = outer }
        guard isInTransaction else { return try body() }
        return try savepoint(body)
    }
}
