internal import FundCore

/// Reads the values of a frame's body. Checks every count against the bytes that are left before it believes it.
package struct FrameReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }
    package var remainingBytes: Int { bytes.count - position }

    /// Reads one byte.
    package mutating func u8() throws(FrameError) -> UInt8 {
        guard position < bytes.count else { throw FrameError(what: "the frame is too short") }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads a byte that is 0 or 1.
    package mutating func flag() throws(FrameError) -> Bool {
        switch try u8() {
        case 0: false
        case 1: true
        default: throw FrameError(what: "a flag is neither 0 nor 1")
        }
    }

    /// Reads a number of 32 bits, little-endian.
    package mutating func u32() throws(FrameError) -> Int { Int(try integer(UInt32.self)) }
    /// Reads a number of 64 bits, little-endian.
    package mutating func u64() throws(FrameError) -> UInt64 { try integer(UInt64.self) }
    /// Reads a signed number of 64 bits, little-endian.
    package mutating func i64() throws(FrameError) -> Int64 { try integer(Int64.self) }

    /// Reads a text of at most `max` bytes, with its length before it.
    package mutating func string(max: Int = Frame.maxStringBytes) throws(FrameError) -> String {
        let count = try u32()
        guard count <= max else { throw FrameError(what: "a text of \(count) bytes") }
        guard count <= bytes.count - position else { throw FrameError(what: "the frame is too short") }
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
        position += count
        guard let string = String(validating: text, as: UTF8.self) else { throw FrameError(what: "invalid UTF-8") }
        return string
    }

    /// Reads a flag, and a text where it is set.
    package mutating func optionalString(max: Int = Frame.maxStringBytes) throws(FrameError) -> String? {
        try flag() ? try string(max: max) : nil
    }

    /// Reads a flag, and a number where it is set.
    package mutating func optionalInteger() throws(FrameError) -> Int64? { try flag() ? try i64() : nil }

    /// An enum's value by its raw value.
    package mutating func value<Value: RawRepresentable<String>>(_ type: Value.Type) throws(FrameError) -> Value {
        let text = try string()
        guard let value = Value(rawValue: text) else { throw FrameError(what: "an unknown \(type)") }
        return value
    }

    /// Reads at most `max` elements, with their count before them.
    @inlinable
    package mutating func list<Element>(
        max: Int = Frame.maxListCount, _ read: (inout FrameReader) throws(FrameError) -> Element
    ) throws(FrameError) -> [Element] {
        let count = try u32()
        guard count <= max else { throw FrameError(what: "a list of \(count)") }
        guard count <= remainingBytes else { throw FrameError(what: "the frame is too short") }
        var elements: [Element] = []
        elements.reserveCapacity(min(count, 64))
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    private mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(FrameError) -> Value {
        guard MemoryLayout<Value>.size <= bytes.count - position else {
            throw FrameError(what: "the frame is too short")
        }
        defer { position += MemoryLayout<Value>.size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }
}

extension FrameReader {
    /// Reads a frame that is whole: its kind, and the rest by `read`, up to the end.
    package static func read<Value>(
        _ frame: [UInt8], _ read: (_ kind: UInt8, inout FrameReader) throws(FrameError) -> Value
    ) throws(FrameError) -> Value {
        try frame[...].withBytes { (bytes) throws(FrameError) in
            var reader = FrameReader(bytes)
            guard try reader.u32() == reader.remainingBytes else { throw FrameError(what: "a frame cut short") }
            let value = try read(try reader.u8(), &reader)
            guard reader.isAtEnd else { throw FrameError(what: "a frame with a tail") }
            return value
        }
    }
}
