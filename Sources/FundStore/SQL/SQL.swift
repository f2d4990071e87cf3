/// The terms of SQL that engines spell differently, with columns and placeholders as text. Everything else in a text is
/// written so that SQLite and PostgreSQL understand it; `scripts/arrows` names what is not.
///
/// The terms are SQLite's own, so that its texts are used as they are. `PostgreSQLText` makes PostgreSQL's of them,
/// once for each text and connection.
enum SQL {
    // MARK: Values

    /// The folder that holds a row, as a value: 0 at the top of a fund. The unique indexes of names spell it like this:
    /// an index on an expression serves only that very expression.
    static func parent(_ column: String) -> String { "ifnull(\(column), 0)" }

    /// The column of such an expression, as an index has it; nil for another one.
    static func column(ofParent term: String) -> String? {
        guard term.hasPrefix("ifnull("), term.hasSuffix(", 0)") else { return nil }
        return String(term.dropFirst("ifnull(".count).dropLast(", 0)".count))
    }

    /// The greater of two values; NULL where either is.
    static func greatest(_ first: String, _ second: String) -> String { "max(\(first), \(second))" }
    /// The smaller of two values; NULL where either is.
    static func least(_ first: String, _ second: String) -> String { "min(\(first), \(second))" }
    /// Length of a text in UTF-8.
    static func bytes(_ column: String) -> String { "length(CAST(\(column) AS BLOB))" }
    /// Values of a group of rows, as one text with a line for each.
    static func lines(_ column: String) -> String { "group_concat(\(column), char(10))" }

    // MARK: Conditions

    /// Whether a text holds another one, byte by byte.
    static func contains(_ column: String, _ placeholder: String) -> String { "instr(\(column), \(placeholder)) > 0" }

    /// `contains` with the letters A to Z and a to z as the same ones: SQLite's `lower` knows no others
    /// (https://sqlite.org/lang_corefunc.html#lower).
    static func containsCaseless(_ column: String, _ placeholder: String) -> String {
        contains("lower(\(column))", "lower(\(placeholder))")
    }

    // MARK: Lists as arguments

    /// Rows of one column, `id`, with the values of an argument that `list` made. One statement serves any number.
    static func each(_ placeholder: String) -> String { "SELECT value AS id FROM json_each(\(placeholder))" }
    static func isAmong(_ placeholder: String) -> String { "IN (\(each(placeholder)))" }

    static func list(_ numbers: some Sequence<Int64>) -> SQLList { .numbers(Array(numbers)) }
    static func list(words: some Sequence<String>) -> SQLList { .words(Array(words)) }

    // MARK: Hints for the planner

    /// A join whose left side is read first. `ON` follows.
    /// https://www.sqlite.org/optoverview.html#manual_control_of_query_plans_using_cross_join
    static let thenJoin = "CROSS JOIN"
    /// A table that is read by one of its indexes.
    static func table(_ name: String, using index: String) -> String { "\(name) INDEXED BY \(index)" }
    /// Name of the index by which a table keeps the values of a UNIQUE constraint apart, by the constraint's number
    /// from 1 on.
    static func constraintIndex(_ number: Int, of table: String) -> String { "sqlite_autoindex_\(table)_\(number)" }
    /// A table that is read in the order of its key.
    static func scan(_ table: String) -> String { "\(table) NOT INDEXED" }

    /// At least `count` rows: one of few numbers, since the planner chooses by it, and each text stays a prepared
    /// statement for as long as its connection. Readers stop at what they want.
    static func limit(_ count: Int) -> String {
        "LIMIT \([2, 11, 26, 51, 101, 201, 501, 1001].first { $0 >= count } ?? count)"
    }
}
