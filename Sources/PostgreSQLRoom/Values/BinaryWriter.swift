internal import FundCore

/// Bytes in the binary forms of the server (https://www.postgresql.org/docs/15/protocol-overview.html
/// #PROTOCOL-FORMAT-CODES): big-endian integers, lengths before values.
struct BinaryWriter {
    private(set) var bytes: [UInt8] = []

    /// Length that stands for NULL.
    private static let nullLength: Int32 = -1

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(raw other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a text. This is the only way of a text to the server, so none arrives with a NUL, which would end the
    /// transaction (`String.cleaned`).
    mutating func append(text: String) { append(raw: text.cleaned.utf8) }

    /// Appends a value without its length; nothing for NULL.
    mutating func append(value: PostgreSQLParameter) {
        switch value {
        case .null: break
        case .integer(let number): append(number)
        case .text(let text): append(text: text)
        case .bytes(let value): append(raw: value)
        case .digest(let digest): digest.withUnsafeBytes { append(raw: $0) }
        case .integers(let numbers): append(array: numbers, of: .int8) { $0.append($1) }
        case .texts(let texts): append(array: texts, of: .text) { $0.append(text: $1) }
        case .byteStrings(let values): append(array: values, of: .bytea) { $0.append(raw: $1) }
        }
    }

    /// Appends a value after its length.
    mutating func append(field value: PostgreSQLParameter) {
        guard value != .null else { return append(Self.nullLength) }
        withLength { $0.append(value: value) }
    }

    /// Appends the length of what `body` appends, and that.
    mutating func withLength(_ body: (inout BinaryWriter) -> Void) {
        let start = bytes.count
        append(Int32(0))
        body(&self)
        let length = Int32(bytes.count - start - MemoryLayout<Int32>.size)
        withUnsafeBytes(of: length.bigEndian) { length in
            for (offset, byte) in length.enumerated() { bytes[start + offset] = byte }
        }
    }

    /// An array of one dimension, counted from 1 (`array_recv` in PostgreSQL's arrayfuncs.c).
    private mutating func append<Element>(
        array: [Element?], of type: PostgreSQLType, _ append: (inout BinaryWriter, Element) -> Void
    ) {
        self.append(Int32(array.isEmpty ? 0 : 1))
        self.append(Int32(array.contains { $0 == nil } ? 1 : 0))
        self.append(type.number)
        guard !array.isEmpty else { return }
        self.append(Int32(array.count))
        self.append(Int32(1))
        for element in array {
            guard let element else {
                self.append(Self.nullLength)
                continue
            }
            withLength { append(&$0, element) }
        }
    }
}
