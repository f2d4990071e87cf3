internal import CPostgreSQL

/// Rows on their way into a table by COPY, which takes more of them a second than any INSERT
/// (https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format").
package struct CopyWriter {
    private static let pieceBytes = 256 << 10

    private let types: [PostgreSQLType]
    private let send: ([UInt8]) throws -> Void
    private var writer = BinaryWriter()
    /// Rows that were written.
    package private(set) var count = 0

    fileprivate init(_ types: [PostgreSQLType], _ send: @escaping ([UInt8]) throws -> Void) {
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

    fileprivate mutating func finish() throws {
        let end: Int16 = -1
        writer.append(end)
        try flush()
    }
}

extension PostgreSQLSession {
    /// Copies the rows that `body` writes into columns of a table, or none of them when it throws. Names are those of
    /// the program. Returns the number of rows.
    package func copy(
        into table: String, _ columns: [String], _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        let names = columns.joined(separator: ", ")
        let shape = try run("SELECT \(names) FROM \(table) LIMIT 0")
        let types = (0..<shape.columnCount).map(shape.type)
        let operation = "copy rows"
        let start = try line.run(operation, atMost: limit(operation)) {
            fundmail_PQsendQuery($0, "COPY \(table) (\(names)) FROM STDIN (FORMAT binary)")
        }
        guard start.isCopy else { throw PostgreSQLError(.misuse, operation, "the server takes no rows") }
        var writer = CopyWriter(types) { [self] bytes in
            try line.put(operation, atMost: limit(operation)) { connection in
                bytes.withUnsafeBytes { bytes in
                    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    return fundmail_PQputCopyData(connection, start, Int32(bytes.count))
                }
            }
        }
        do {
            try body(&writer)
            try writer.finish()
        } catch {
            abandonCopy()
            throw error
        }
        try line.put(operation, atMost: settings.timeouts.answer) { fundmail_PQputCopyEnd($0, nil) }
        return try line.run(operation, atMost: limit(operation)) { _ in 1 }.changedCount
    }

    /// Has the server throw away what was copied.
    private func abandonCopy() {
        guard !line.isBroken else { return }
        do {
            try line.put("copy rows", atMost: settings.timeouts.answer) {
                fundmail_PQputCopyEnd($0, "not all rows were written")
            }
        } catch { return line.giveUp() }
        // The answer is the error that was asked for.
        _ = try? line.run("copy rows", atMost: settings.timeouts.answer, isInterruptible: false) { _ in 1 }
    }
}
