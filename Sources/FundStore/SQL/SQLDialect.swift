/// The forms of SQL that engines spell differently, with columns and placeholders as text. Everything else that asks
/// for rows is written so that SQLite and PostgreSQL understand it; `scripts/arrows` names what is not.
protocol SQLDialect {
    // MARK: Values

    /// The folder that holds a row, as a value: 0 at the top of a fund. The unique indexes of names spell it like this:
    /// an index on an expression serves only that very expression.
    static func parent(_ column: String) -> String
    /// The column of such an expression, as an index has it; nil for another one.
    static func column(ofParent term: String) -> String?
    static func greatest(_ first: String, _ second: String) -> String
    static func least(_ first: String, _ second: String) -> String
    /// Length of a text in UTF-8.
    static func bytes(_ column: String) -> String
    /// Values of a group of rows, as one text with a line for each.
    static func lines(_ column: String) -> String

    // MARK: Conditions

    static func contains(_ column: String, _ placeholder: String) -> String

    // MARK: Lists as arguments

    /// Rows of one column, `id`, with the values of an argument that `list` made. One statement serves any number.
    static func each(_ placeholder: String) -> String
    static func list(_ numbers: some Sequence<Int64>) -> String
    static func list(words: some Sequence<String>) -> String

    // MARK: Hints for the planner

    /// A join whose left side is read first. `ON` follows.
    static var thenJoin: String { get }
    /// A table that is read by one of its indexes.
    static func table(_ name: String, using index: String) -> String
    /// Name of the index by which a table keeps the values of a UNIQUE constraint apart, by the constraint's number
    /// from 1 on.
    static func constraintIndex(_ number: Int, of table: String) -> String
    /// A table that is read in the order of its key.
    static func scan(_ table: String) -> String
}

extension SQLDialect {
    static func isAmong(_ placeholder: String) -> String { "IN (\(each(placeholder)))" }

    static func containsCaseless(_ column: String, _ placeholder: String) -> String {
        contains("lower(\(column))", "lower(\(placeholder))")
    }

    /// At least `count` rows: one of few numbers, since the planner chooses by it, and each text stays a prepared
    /// statement for as long as its connection. Readers stop at what they want.
    static func limit(_ count: Int) -> String {
        "LIMIT \([2, 11, 26, 51, 101, 201, 501, 1001].first { $0 >= count } ?? count)"
    }
}
