internal import CPostgreSQL

/// COPY, which takes more rows a second than any INSERT.
extension PostgreSQLSession {
    /// Copies the rows that `body` writes into columns of a table, or none of them when it throws. Names are those of
    /// the program. Returns the number of rows.
    package func copy(
        into table: String, _ columns: [String], _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        let names = columns.joined(separator: ", ")
        let shape = try run("SELECT \(names) FROM \(table) LIMIT 0")
        let types = (0..<shape.columnCount).map(shape.type)
        let operation = "copy rows"
        let start = try line.run(operation, atMost: limit(operation)) {
            fundmail_PQsendQuery($0, "COPY \(table) (\(names)) FROM STDIN (FORMAT binary)")
        }
        guard start.isCopy else { throw PostgreSQLError(.misuse, operation, "the server takes no rows") }
        var writer = CopyWriter(types) { [self] bytes in
            try line.put(operation, atMost: limit(operation)) { connection in
                bytes.withUnsafeBytes { bytes in
                    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    return fundmail_PQputCopyData(connection, start, Int32(bytes.count))
                }
            }
        }
        do {
            try body(&writer)
            try writer.finish()
        } catch {
            abandonCopy()
            throw error
        }
        try line.put(operation, atMost: settings.timeouts.answer) { fundmail_PQputCopyEnd($0, nil) }
        return try line.run(operation, atMost: limit(operation)) { _ in 1 }.changedCount
    }

    /// Has the server throw away what was copied.
    private func abandonCopy() {
        guard !line.isBroken else { return }
        do {
            try line.put("copy rows", atMost: settings.timeouts.answer) {
                fundmail_PQputCopyEnd($0, "not all rows were written")
            }
        } catch { return line.giveUp() }
        // The answer is the error that was asked for.
        _ = try? line.run("copy rows", atMost: settings.timeouts.answer, isInterruptible: false) { _ in 1 }
    }
}
