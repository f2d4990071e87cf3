internal import GRDB
import FundCore
import PostgreSQLRoom

/// A list as one argument, which `SQL.each` makes rows of: one statement serves any number.
enum SQLList: SQLArgument {
    case numbers([Int64])
    case words([String])

    /// SQLite gets the text of a JSON array (https://www.sqlite.org/json1.html#jeach).
    func bind(into statement: SQLiteStatement, _ number: CInt) -> CInt { json.bind(into: statement, number) }

    private var json: String {
        switch self {
        case .numbers(let numbers): return "[" + numbers.map(String.init).joined(separator: ",") + "]"
        case .words(let words):
            var json = JSONWriter(reserving: 64)
            json.array(words) { $0.value($1) }
            return String(decoding: json.bytes, as: UTF8.self)
        }
    }

    var postgreSQL: PostgreSQLParameter {
        switch self {
        case .numbers(let numbers): .integers(numbers)
        case .words(let words): .texts(words)
        }
    }
}
