/// A frame that does not keep to the protocol.
struct WireError: Error {
    var what: String
}

/// Takes one frame's body apart. Checks every count against what is left before it believes it.
struct WireReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func u8() throws(WireError) -> UInt8 {
        guard position < bytes.count else { throw WireError(what: "the frame is too short") }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func flag() throws(WireError) -> Bool {
        switch try u8() {
        case 0: false
        case 1: true
        default: throw WireError(what: "a flag is neither 0 nor 1")
        }
    }

    mutating func u32() throws(WireError) -> Int { Int(try integer(UInt32.self)) }
    mutating func u64() throws(WireError) -> UInt64 { try integer(UInt64.self) }
    mutating func i64() throws(WireError) -> Int64 { try integer(Int64.self) }

    mutating func string(max: Int = Wire.maxStringBytes) throws(WireError) -> String {
        let count = try u32()
        guard count <= max else { throw WireError(what: "a text of \(count) bytes") }
        guard count <= bytes.count - position else { throw WireError(what: "the frame is too short") }
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
        position += count
        guard let string = String(validating: text, as: UTF8.self) else { throw WireError(what: "invalid UTF-8") }
        return string
    }

    mutating func optionalString(max: Int = Wire.maxStringBytes) throws(WireError) -> String? {
        try flag() ? try string(max: max) : nil
    }

    mutating func list<Element>(
        max: Int = Wire.maxListCount, _ read: (inout WireReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        let count = try u32()
        guard count <= max else { throw WireError(what: "a list of \(count)") }
        guard count <= bytes.count - position else { throw WireError(what: "the frame is too short") }
        var elements: [Element] = []
        elements.reserveCapacity(min(count, 64))
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    private mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(WireError) -> Value {
        guard MemoryLayout<Value>.size <= bytes.count - position else {
            throw WireError(what: "the frame is too short")
        }
        defer { position += MemoryLayout<Value>.size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }
}
