extension [UInt8] {
    mutating func append(integer value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends zero bytes up to the next multiple of `LogFormat.alignment`.
    mutating func pad() {
        append(contentsOf: repeatElement(0, count: Int(LogFormat.padded(Int64(count))) - count))
    }
}

extension UnsafeRawBufferPointer {
    func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
