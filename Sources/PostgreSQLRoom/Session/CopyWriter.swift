/// Rows on their way into a table by COPY, which takes more of them a second than any INSERT
/// (https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format").
package struct CopyWriter {
    private static let pieceBytes = 256 << 10

    private let types: [PostgreSQLType]
    private let send: ([UInt8]) throws -> Void
    private var writer = BinaryWriter()
    /// Rows that were written.
    package private(set) var count = 0

    init(_ types: [PostgreSQLType], _ send: @escaping ([UInt8]) throws -> Void) {
        (self.types, self.send) = (types, send)
        writer.append(raw: Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00])
        writer.append(UInt32(0))  // flags
        writer.append(UInt32(0))  // no extension of the header
    }

    /// Writes one row. Throws `misuse` for another number of values than columns, and for an integer that its column
    /// does not hold.
    package mutating func write(_ values: [PostgreSQLParameter]) throws {
        guard values.count == types.count else {
            throw PostgreSQLError(.misuse, "copy rows", "\(values.count) values for \(types.count) columns")
        }
        writer.append(Int16(values.count))
        for (value, type) in zip(values, types) {
            if case .integer(let number) = value { try append(number, type) } else { writer.append(field: value) }
        }
        count += 1
        if writer.bytes.count >= Self.pieceBytes { try flush() }
    }

    /// Appends an integer in the size that its column has.
    private mutating func append(_ number: Int64, _ type: PostgreSQLType) throws {
        func exact<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
            guard let exact = Number(exactly: number) else {
                throw PostgreSQLError(.misuse, "copy rows", "\(number) does not fit into its column")
            }
            return exact
        }
        switch type {
        case .int2:
            let number = try exact(Int16.self)
            writer.withLength { $0.append(number) }
        case .int4:
            let number = try exact(Int32.self)
            writer.withLength { $0.append(number) }
        case .bool: writer.withLength { $0.append(UInt8(number == 0 ? 0 : 1)) }
        default: writer.append(field: .integer(number))
        }
    }

    private mutating func flush() throws {
        try send(writer.bytes)
        writer.removeAll()
    }

    /// Writes the end of the data.
    mutating func finish() throws {
        let end: Int16 = -1
        writer.append(end)
        try flush()
    }
}
