extension PostgreSQLError {
    /// The meaning of a code of the server.
    static func code(ofState state: String) -> Code {
        if let code = states[state] { return code }
        return classes[String(state.prefix(2))] ?? .other
    }

    /// https://www.postgresql.org/docs/15/errcodes-appendix.html
    private static let states: [String: Code] = [
        "40001": .conflict, "40P01": .conflict,
        "22021": .textRefused, "22P05": .textRefused,
        "55P03": .lockTimeout,
        "53300": .busy,
        // The server stops or starts: admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped,
        // idle_session_timeout; and idle_in_transaction_session_timeout.
        "57P01": .lost, "57P02": .lost, "57P03": .unreachable, "57P04": .lost, "57P05": .lost, "25P03": .lost,
        "57014": .tookTooLong,
        "58030": .full,
        // A statement that was deallocated behind our back.
        "26000": .planChanged,
        "25006": .readOnly,
        "3D000": .refused,
        "XX001": .damaged, "XX002": .damaged,
    ]

    private static let classes: [String: Code] = [
        "08": .lost, "23": .constraint, "28": .refused, "53": .full,
    ]

    /// The place in the server's sources where it finds that a prepared statement gives other columns than before: the
    /// code, 0A000, is that of anything unsupported, and the text has the server's language.
    private static let changedPlan = "RevalidateCachedQuery"

    static func isChangedPlan(_ state: String, function: String?) -> Bool {
        state == "0A000" && function == changedPlan
    }

    /// The first words of a statement, to name it by.
    static func name(of sql: String) -> String {
        sql.split(whereSeparator: \.isWhitespace).prefix(4).joined(separator: " ")
    }
}
