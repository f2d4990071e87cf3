internal import CPostgreSQL

/// The answer to a statement: rows in binary form, a count, or an error.
package final class PostgreSQLResult {
    private let raw: OpaquePointer  // PGresult *, owned

    init(takingOwnershipOf raw: OpaquePointer) { self.raw = raw }

    deinit { fundmail_PQclear(raw) }

    package var rowCount: Int { Int(fundmail_PQntuples(raw)) }
    package var columnCount: Int { Int(fundmail_PQnfields(raw)) }

    /// Number of rows that were inserted, updated, deleted or copied.
    package var changedCount: Int { fundmail_PQcmdTuples(raw).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The server's word for what it did: `COMMIT`, `INSERT 0 1`.
    var tag: String { fundmail_PQcmdStatus(raw).map { String(cString: $0) } ?? "" }

    /// The server waits for the data of COPY.
    var isCopy: Bool { [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(fundmail_PQresultStatus(raw)) }

    /// The type of a column, from 0.
    package func type(ofColumn column: Int) -> PostgreSQLType {
        PostgreSQLType(number: fundmail_PQftype(raw, Int32(column)))
    }

    /// The number of a column by its name in lower case; nil where there is none.
    package func column(named name: String) -> Int? {
        let number = fundmail_PQfnumber(raw, name)
        return number >= 0 ? Int(number) : nil
    }

    /// Passes a value to `body`, or nil for NULL.
    @inline(__always)
    package func withColumn<Value>(
        _ column: Int, ofRow row: Int, _ body: (PostgreSQLColumn?) throws -> Value
    ) rethrows -> Value {
        precondition((0..<rowCount).contains(row) && (0..<columnCount).contains(column), "no such column")
        let (row, number) = (Int32(row), Int32(column))
        guard fundmail_PQgetisnull(raw, row, number) == 0 else { return try body(nil) }
        let content = UnsafeRawBufferPointer(
            start: fundmail_PQgetvalue(raw, row, number), count: Int(fundmail_PQgetlength(raw, row, number)))
        return try withExtendedLifetime(self) {
            try body(PostgreSQLColumn(type: type(ofColumn: column), content: content))
        }
    }

    /// The error that the server answers with; nil when it has none.
    ///
    /// - Parameter ending: the error of a statement that this program had ended.
    func error(_ operation: String, ending: PostgreSQLError?) -> PostgreSQLError? {
        guard
            ![PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY].contains(
                fundmail_PQresultStatus(raw)),
            !isCopy
        else { return nil }
        let state = field("C") ?? ""
        if let ending, state == Self.cancelled { return ending }
        let message = field("M") ?? fundmail_PQresultErrorMessage(raw).map { String(cString: $0) } ?? ""
        let code: PostgreSQLError.Code =
            if PostgreSQLError.isChangedPlan(state, function: field("R")) { .planChanged } else if state.isEmpty {
                .lost
            } else {
                PostgreSQLError.code(ofState: state)
            }
        return PostgreSQLError(code, operation, message, state: state, constraint: field("n"))
    }

    /// query_canceled
    private static let cancelled = "57014"

    /// A field of an error by its letter
    /// (https://www.postgresql.org/docs/15/protocol-error-fields.html).
    private func field(_ letter: Character) -> String? {
        guard let code = letter.asciiValue, let text = fundmail_PQresultErrorField(raw, Int32(code)) else { return nil }
        return String(cString: text)
    }
}
