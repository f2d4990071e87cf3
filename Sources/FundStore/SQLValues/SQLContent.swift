internal import Foundation
internal import GRDB
internal import GRDBSQLite
import FundCore
import PostgreSQLRoom

/// A value of any type: for what copies rows and knows nothing of them. A text has no NUL, and no broken UTF-8,
/// whatever a column holds (`String.cleaned`): both engines take it as it is.
enum SQLContent: SQLValue, Hashable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    func bind(into statement: SQLiteStatement, _ number: CInt) -> CInt {
        switch self {
        case .integer(let value): return value.bind(into: statement, number)
        case .text(let text): return text.bind(into: statement, number)
        case .bytes(let bytes):
            // A pointer that is nil would be NULL.
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, number, 0) }
            return bytes.withUnsafeBytes {
                sqlite3_bind_blob64(statement, number, $0.baseAddress, sqlite3_uint64($0.count), copiedBySQLite)
            }
        }
    }

    var databaseValue: DatabaseValue {
        switch self {
        case .integer(let value): value.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        }
    }

    init?(sqliteStatement statement: SQLiteStatement, index: CInt) {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, index))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(statement, index)
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
            self = .text(String(decoding: bytes, as: UTF8.self).cleaned)
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(statement, index)
            let count = Int(sqlite3_column_bytes(statement, index))
            self = .bytes(Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
        default: return nil
        }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLContent? {
        switch value.storage {
        case .int64(let number): .integer(number)
        case .string(let text): .text(text.cleaned)
        case .blob(let data): .bytes(Array(data))
        case .null, .double: nil
        }
    }

    var postgreSQL: PostgreSQLParameter {
        switch self {
        case .integer(let value): .integer(value)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        }
    }

    init?(postgreSQL column: PostgreSQLColumn) {
        if let number = column.integer {
            self = .integer(number)
        } else if let text = column.text {
            self = .text(text)
        } else if let bytes = column.bytes {
            self = .bytes(bytes)
        } else {
            return nil
        }
    }

    /// Words that name a row by this value.
    var words: String {
        switch self {
        case .integer(let number): "\(number)"
        case .text(let text): text
        case .bytes(let bytes): Hex.text(bytes)
        }
    }
}
