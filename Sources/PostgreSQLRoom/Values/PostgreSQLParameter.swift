package import FundCore

/// A value on its way to the server, in the binary form of its type. Arrays become rows with `unnest`: one statement
/// files any number of rows.
package enum PostgreSQLParameter: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case digest(ContentDigest)
    case integers([Int64?])
    case texts([String?])
    case byteStrings([[UInt8]?])

    /// The type that a statement declares for it; the server infers that of NULL.
    var type: PostgreSQLType {
        switch self {
        case .null: .inferred
        case .integer: .int8
        case .text: .text
        case .bytes, .digest: .bytea
        case .integers: .int8Array
        case .texts: .textArray
        case .byteStrings: .byteaArray
        }
    }
}

/// Anything that a statement takes as an argument.
package protocol PostgreSQLArgument {
    /// The value as it travels.
    var postgreSQL: PostgreSQLParameter { get }
}

/// Anything that a statement takes and a column holds.
package protocol PostgreSQLValue: PostgreSQLArgument {
    /// Nil when the column holds a value of another type.
    init?(postgreSQL column: PostgreSQLColumn)
}

extension Int64: PostgreSQLValue {
    package var postgreSQL: PostgreSQLParameter { .integer(self) }

    package init?(postgreSQL column: PostgreSQLColumn) {
        guard let value = column.integer else { return nil }
        self = value
    }
}

extension Int: PostgreSQLValue {
    package var postgreSQL: PostgreSQLParameter { .integer(Int64(self)) }

    package init?(postgreSQL column: PostgreSQLColumn) {
        guard let value = column.integer else { return nil }
        self.init(value)
    }
}

extension Int32: PostgreSQLValue {
    package var postgreSQL: PostgreSQLParameter { .integer(Int64(self)) }

    package init?(postgreSQL column: PostgreSQLColumn) {
        guard let value = column.integer else { return nil }
        self.init(exactly: value)
    }
}

/// Kept as 1 and 0, as SQLite has it: the same conditions serve both.
extension Bool: PostgreSQLValue {
    package var postgreSQL: PostgreSQLParameter { .integer(self ? 1 : 0) }

    package init?(postgreSQL column: PostgreSQLColumn) {
        guard let value = column.integer else { return nil }
        self = value != 0
    }
}

extension String: PostgreSQLValue {
    package var postgreSQL: PostgreSQLParameter { .text(self) }

    package init?(postgreSQL column: PostgreSQLColumn) {
        guard let value = column.text else { return nil }
        self = value
    }
}

extension ContentDigest: PostgreSQLValue {
    package var postgreSQL: PostgreSQLParameter { .digest(self) }

    /// Nil unless the column holds 32 bytes.
    package init?(postgreSQL column: PostgreSQLColumn) {
        guard let bytes = column.bytes else { return nil }
        self.init(bytes: bytes)
    }
}

/// Ids and times are kept as their integers.
extension PostgreSQLValue where Self: RawRepresentable, RawValue == Int64 {
    package var postgreSQL: PostgreSQLParameter { .integer(rawValue) }

    package init?(postgreSQL column: PostgreSQLColumn) {
        guard let value = column.integer else { return nil }
        self.init(rawValue: value)
    }
}

extension ID: PostgreSQLValue {}
extension Timestamp: PostgreSQLValue {}
