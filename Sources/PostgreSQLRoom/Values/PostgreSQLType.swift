/// A type of values, by its number in the server's catalogue (`pg_type.dat` of PostgreSQL's sources).
package struct PostgreSQLType: Hashable, Sendable {
    package let number: UInt32

    package init(number: UInt32) { self.number = number }

    /// Left to the server, which infers it from what stands around a placeholder.
    static let inferred = PostgreSQLType(number: 0)
    static let bool = PostgreSQLType(number: 16)
    static let bytea = PostgreSQLType(number: 17)
    static let name = PostgreSQLType(number: 19)
    static let int8 = PostgreSQLType(number: 20)
    static let int2 = PostgreSQLType(number: 21)
    static let int4 = PostgreSQLType(number: 23)
    static let text = PostgreSQLType(number: 25)
    static let oid = PostgreSQLType(number: 26)
    static let json = PostgreSQLType(number: 114)
    static let unknown = PostgreSQLType(number: 705)
    static let byteaArray = PostgreSQLType(number: 1001)
    static let textArray = PostgreSQLType(number: 1009)
    static let int8Array = PostgreSQLType(number: 1016)
    static let bpchar = PostgreSQLType(number: 1042)
    static let varchar = PostgreSQLType(number: 1043)
    static let numeric = PostgreSQLType(number: 1700)
    static let xid8 = PostgreSQLType(number: 5069)

    /// Whether the binary form of a value is its text in UTF-8.
    var isText: Bool { [.text, .varchar, .bpchar, .name, .json, .unknown].contains(self) }
}
