internal import Foundation
internal import GRDB
internal import GRDBSQLite
import FundCore
import PostgreSQLRoom

/// A value of any type: for what copies rows and knows nothing of them.
enum SQLContent: SQLValue {
    case integer(Int64)
    case text(String)
    case bytes(Data)

    private var value: any SQLValue {
        switch self {
        case .integer(let number): number
        case .text(let text): text
        case .bytes(let bytes): bytes
        }
    }

    func bind(into statement: SQLiteStatement, _ number: CInt) -> CInt { value.bind(into: statement, number) }
    var databaseValue: DatabaseValue { value.databaseValue }

    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let content = Self.fromDatabaseValue(value) else { return nil }
        self = content
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLContent? {
        switch value.storage {
        case .int64(let number): .integer(number)
        case .string(let text): .text(text)
        case .blob(let data): .bytes(data)
        case .null, .double: nil
        }
    }

    var postgreSQL: PostgreSQLParameter { value.postgreSQL }

    init?(postgreSQL column: PostgreSQLColumn) {
        if let number = column.integer {
            self = .integer(number)
        } else if let text = column.text {
            self = .text(text)
        } else if let bytes = column.bytes {
            self = .bytes(Data(bytes))
        } else {
            return nil
        }
    }
}
