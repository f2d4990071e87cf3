/// The arguments of a statement in the form that libpq takes.
struct BoundArguments {
    let types: [PostgreSQLType]
    private let bytes: [UInt8]
    /// Where each value stands in the bytes; nil for NULL.
    private let ranges: [Range<Int>?]

    init(_ values: [PostgreSQLParameter]) {
        var writer = BinaryWriter()
        var ranges: [Range<Int>?] = []
        for value in values {
            let start = writer.bytes.count
            writer.append(value: value)
            ranges.append(value == .null ? nil : start..<writer.bytes.count)
        }
        // A value of no bytes needs an address, too: without one it would be NULL.
        writer.append(UInt8(0))
        (types, bytes, self.ranges) = (values.map(\.type), writer.bytes, ranges)
    }

    var count: Int { ranges.count }

    /// Passes pointers to the values, their lengths and their formats, which are binary.
    func withPointers<Value>(
        _ body: ([UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) throws -> Value
    ) rethrows -> Value {
        try bytes.withUnsafeBytes { bytes in
            let pointers = ranges.map { range in
                range.flatMap { bytes.baseAddress?.advanced(by: $0.lowerBound).assumingMemoryBound(to: CChar.self) }
            }
            return try body(pointers, ranges.map { Int32($0?.count ?? 0) }, ranges.map { _ in 1 })
        }
    }
}
