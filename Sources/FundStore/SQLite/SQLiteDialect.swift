import FundCore

/// SQL as SQLite spells it.
enum SQLiteDialect {
    static func parent(_ column: String) -> String { "ifnull(\(column), 0)" }

    static func column(ofParent term: String) -> String? {
        guard term.hasPrefix("ifnull("), term.hasSuffix(", 0)") else { return nil }
        return String(term.dropFirst("ifnull(".count).dropLast(", 0)".count))
    }

    static func greatest(_ first: String, _ second: String) -> String { "max(\(first), \(second))" }
    static func least(_ first: String, _ second: String) -> String { "min(\(first), \(second))" }
    static func bytes(_ column: String) -> String { "length(CAST(\(column) AS BLOB))" }
    static func lines(_ column: String) -> String { "group_concat(\(column), char(10))" }

    static func contains(_ column: String, _ placeholder: String) -> String { "instr(\(column), \(placeholder)) > 0" }

    static func each(_ placeholder: String) -> String { "SELECT value AS id FROM json_each(\(placeholder))" }

    static func list(_ numbers: some Sequence<Int64>) -> String {
        "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }

    static func list(words: some Sequence<String>) -> String {
        var json = JSONWriter(reserving: 64)
        json.array(words) { $0.value($1) }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// https://www.sqlite.org/optoverview.html#manual_control_of_query_plans_using_cross_join
    static let thenJoin = "CROSS JOIN"

    static func table(_ name: String, using index: String) -> String { "\(name) INDEXED BY \(index)" }

    static func constraintIndex(_ number: Int, of table: String) -> String { "sqlite_autoindex_\(table)_\(number)" }
    static func scan(_ table: String) -> String { "\(table) NOT INDEXED" }
}
