/// Reads little-endian numbers and ranges from a part of an array; nil at the end of the part.
struct ByteCursor {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        let inside = range.clamped(to: 0..<bytes.count)
        (self.bytes, position, end) = (bytes, inside.lowerBound, inside.upperBound)
    }

    var isAtEnd: Bool { position == end }

    subscript(index: Int) -> UInt8 { bytes[index] }

    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// Another reader for a part of the same bytes.
    func cursor(_ range: Range<Int>) -> ByteCursor { ByteCursor(bytes, range) }

    mutating func take(_ count: Int) -> Range<Int>? {
        guard count >= 0, count <= end - position else { return nil }
        defer { position += count }
        return position..<(position + count)
    }

    mutating func u8() -> UInt8? { take(1).map { bytes[$0.lowerBound] } }
    mutating func u16() -> UInt16? { number(2).map { UInt16(truncatingIfNeeded: $0) } }
    mutating func u32() -> UInt32? { number(4) }

    /// The sum of the bytes of a range, which TNEF uses as checksum.
    func sum(_ range: Range<Int>) -> UInt16 {
        bytes.withUnsafeBufferPointer { all in
            var sum: UInt32 = 0
            for byte in UnsafeBufferPointer(rebasing: all[range]) { sum &+= UInt32(byte) }
            return UInt16(truncatingIfNeeded: sum)
        }
    }

    private mutating func number(_ count: Int) -> UInt32? {
        take(count).map { $0.reversed().reduce(0) { $0 << 8 | UInt32(bytes[$1]) } }
    }
}
