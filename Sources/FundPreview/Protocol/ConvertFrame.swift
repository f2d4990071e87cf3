import FundCore

/// Fields of a message between `serve` and a converter process: numbers with their lowest byte first, texts behind
/// their length.
struct ConvertFrame {
    /// Of a message. The longest one lists the programs of a machine.
    static let maxBytes = 16384
    /// Longer texts are cut.
    private static let maxTextBytes = 1024

    private(set) var bytes: [UInt8] = []
    private var position = 0

    init() {}
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func put(_ number: some FixedWidthInteger) {
        let value = UInt64(truncatingIfNeeded: number)
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    mutating func put(_ text: String) {
        let utf8 = text.utf8.prefix(Self.maxTextBytes)
        put(utf8.count)
        bytes += utf8
    }

    /// Nil is told apart from all values.
    mutating func put(_ number: (some FixedWidthInteger)?) {
        put(number == nil ? 0 : 1)
        if let number { put(number) }
    }

    mutating func put(_ text: String?) {
        put(text == nil ? 0 : 1)
        if let text { put(text) }
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Int.self) throws(ConvertFrameError) -> Number
    {
        guard position + 8 <= bytes.count else { throw ConvertFrameError() }
        let value = bytes[position..<(position + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        position += 8
        return Number(truncatingIfNeeded: value)
    }

    mutating func text() throws(ConvertFrameError) -> String {
        let count = try number(Int.self)
        guard (0...Self.maxTextBytes).contains(count), position + count <= bytes.count else {
            throw ConvertFrameError()
        }
        defer { position += count }
        return String(decoding: bytes[position..<(position + count)], as: UTF8.self)
    }

    mutating func optionalNumber<Number: FixedWidthInteger>(
        _ type: Number.Type = Int.self
    ) throws(ConvertFrameError) -> Number? {
        try number(Int.self) == 0 ? nil : try number(type)
    }

    mutating func optionalText() throws(ConvertFrameError) -> String? { try number(Int.self) == 0 ? nil : try text() }

    /// A value of an enum by its raw value.
    mutating func value<Value: RawRepresentable<String>>(_ type: Value.Type) throws(ConvertFrameError) -> Value {
        guard let value = Value(rawValue: try text()) else { throw ConvertFrameError() }
        return value
    }
}

/// A message that is none of this version's.
struct ConvertFrameError: Error, Hashable {}
