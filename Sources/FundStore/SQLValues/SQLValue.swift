internal import Foundation
internal import GRDB
internal import GRDBSQLite
import FundCore
import PostgreSQLRoom

/// A value that a statement takes as an argument, whichever engine runs it.
protocol SQLArgument: PostgreSQLArgument {
    /// Copies the value into placeholder `number` (from 1) and gives SQLite's result code.
    func bind(into statement: SQLiteStatement, _ number: CInt) -> CInt
}

/// A value that a statement takes and a column holds.
protocol SQLValue: SQLArgument, PostgreSQLValue, DatabaseValueConvertible, StatementColumnConvertible {}

/// Values for the placeholders of a statement, in their order; nil is NULL.
typealias SQLArguments = [(any SQLArgument)?]

extension SQLValue where Self: StatementBinding {
    func bind(into statement: SQLiteStatement, _ number: CInt) -> CInt { bind(to: statement, at: number) }
}

extension Bool: SQLValue {}
extension Data: SQLValue {
    var postgreSQL: PostgreSQLParameter { .bytes(Array(self)) }

    init?(postgreSQL column: PostgreSQLColumn) {
        guard let bytes = column.bytes else { return nil }
        self.init(bytes)
    }
}

extension Int: SQLValue {}
extension Int32: SQLValue {}
extension Int64: SQLValue {}

/// Ids and times are kept as their integers.
extension SQLValue where Self: RawRepresentable, RawValue == Int64 {
    func bind(into statement: SQLiteStatement, _ number: CInt) -> CInt {
        sqlite3_bind_int64(statement, number, rawValue)
    }
}

extension ID: SQLValue, DatabaseValueConvertible, StatementColumnConvertible {}
extension Timestamp: SQLValue, DatabaseValueConvertible, StatementColumnConvertible {}

extension SegmentNumber: RawRepresentable, SQLValue, DatabaseValueConvertible, StatementColumnConvertible {
    var rawValue: Int64 { Int64(value) }

    init?(rawValue: Int64) {
        guard let value = UInt32(exactly: rawValue), value > 0 else { return nil }
        self.init(value)
    }
}

/// Has SQLite copy what it is given: SQLITE_TRANSIENT, a cast that Swift does not import.
let copiedBySQLite = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension String: SQLValue {
    /// Binds the text without NUL (`cleaned`).
    func bind(into statement: SQLiteStatement, _ number: CInt) -> CInt {
        var text = cleaned
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else {
                return sqlite3_bind_text(statement, number, "", 0, copiedBySQLite)
            }
            return sqlite3_bind_text64(
                statement, number, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self),
                sqlite3_uint64(bytes.count), copiedBySQLite, UInt8(SQLITE_UTF8))
        }
    }
}

extension ContentDigest: SQLValue, DatabaseValueConvertible, StatementColumnConvertible {
    func bind(into statement: SQLiteStatement, _ number: CInt) -> CInt {
        withUnsafeBytes { sqlite3_bind_blob(statement, number, $0.baseAddress, CInt($0.count), copiedBySQLite) }
    }

    var databaseValue: DatabaseValue { Data(bytes).databaseValue }

    /// Nil unless the column holds 32 bytes.
    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let bytes = sqlite3_column_blob(sqliteStatement, index)
        self.init(bytes: UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(sqliteStatement, index))))
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> ContentDigest? {
        guard case .blob(let data) = value.storage else { return nil }
        return ContentDigest(bytes: data)
    }
}
