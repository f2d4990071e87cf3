internal import FundCore

/// Writes one frame after the other (`Frame`), in the same memory.
package struct FrameWriter {
    private var bytes: [UInt8] = []

    package init() {}

    /// Begins a frame; the one before is forgotten, its memory stays.
    package mutating func begin(_ kind: UInt8) {
        bytes.removeAll(keepingCapacity: true)
        u32(0)
        u8(kind)
    }

    /// Writes the count in front and returns the frame.
    package mutating func end() -> [UInt8] {
        let count = UInt32(bytes.count - Frame.lengthBytes).littleEndian
        withUnsafeBytes(of: count) { bytes.replaceSubrange(0..<Frame.lengthBytes, with: $0) }
        return bytes
    }

    /// Writes one byte.
    package mutating func u8(_ value: UInt8) { bytes.append(value) }
    /// Writes 1 for true and 0 for false.
    package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }
    /// Writes a number of 32 bits, little-endian.
    package mutating func u32(_ value: Int) { integer(UInt32(clamping: value)) }
    /// Writes a number of 64 bits, little-endian.
    package mutating func u64(_ value: UInt64) { integer(value) }
    /// Writes a signed number of 64 bits, little-endian.
    package mutating func i64(_ value: Int64) { integer(value) }

    /// Writes a text, cut to `max` bytes.
    package mutating func string(_ value: String, max: Int = Frame.maxStringBytes) {
        let text = value.utf8.count <= max ? value : value.prefix(bytes: max)
        u32(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a flag, and the text where there is one.
    package mutating func optional(_ value: String?, max: Int = Frame.maxStringBytes) {
        flag(value != nil)
        if let value { string(value, max: max) }
    }

    /// Writes a flag, and the number where there is one.
    package mutating func optional(_ value: Int64?) {
        flag(value != nil)
        if let value { i64(value) }
    }

    /// Writes elements, with their count before them; at most `Frame.maxListCount`.
    /// Inlined into other targets: without that, each element of a generic list costs several calls through tables.
    @inlinable
    package mutating func list<Element>(_ values: [Element], _ write: (inout FrameWriter, Element) -> Void) {
        let count = min(values.count, Frame.maxListCount)
        u32(count)
        for value in values.prefix(count) { write(&self, value) }
    }

    private mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
