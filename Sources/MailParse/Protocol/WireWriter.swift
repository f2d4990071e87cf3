import FundCore

/// Builds one frame of the protocol that `Wire` describes.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    /// Begins a frame; what stood in the writer goes away, its memory stays.
    mutating func begin(_ kind: Wire.Kind) {
        bytes.removeAll(keepingCapacity: true)
        u32(0)
        u8(kind.rawValue)
    }

    /// Writes the count in front and gives the frame.
    mutating func end() -> [UInt8] {
        let count = UInt32(bytes.count - Wire.lengthBytes).littleEndian
        withUnsafeBytes(of: count) { bytes.replaceSubrange(0..<Wire.lengthBytes, with: $0) }
        return bytes
    }

    mutating func u8(_ value: UInt8) { bytes.append(value) }
    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }
    mutating func u32(_ value: Int) { integer(UInt32(clamping: value)) }
    mutating func u64(_ value: UInt64) { integer(value) }
    mutating func i64(_ value: Int64) { integer(value) }

    mutating func string(_ value: String, max: Int = Wire.maxStringBytes) {
        let text = value.utf8.count <= max ? value : value.prefix(bytes: max)
        u32(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func optional(_ value: String?, max: Int = Wire.maxStringBytes) {
        flag(value != nil)
        if let value { string(value, max: max) }
    }

    mutating func list<Element>(_ values: [Element], _ write: (inout WireWriter, Element) -> Void) {
        let count = min(values.count, Wire.maxListCount)
        u32(count)
        for value in values.prefix(count) { write(&self, value) }
    }

    private mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
