/// Writes compact JSON (RFC 8259) into a buffer that is used again for the next line. Much faster than an encoder over
/// values, and keys keep the order in which they are written.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Largest buffer that is used again, in bytes.
    private static let maxKeptCapacity = 1 << 18

    package init(reserving capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

    /// Begins anew in the same buffer.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Ends a line of JSON Lines; another value may follow.
    package mutating func endLine() {
        bytes.append(.lf)
        needsComma = false
    }

    // MARK: Pieces of a text that is longer than one wants in memory

    /// The bytes written so far, which the writer forgets; the text goes on behind them.
    package mutating func drain() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: bytes.capacity <= Self.maxKeptCapacity) }
        return bytes
    }

    /// For what is drained before it ends; else see `object`.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Ends what `beginObject` began.
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    /// For what is drained before it ends; else see `array`.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Ends what `beginArray` began.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// `fill` writes keys and values.
    package mutating func object(_ fill: (inout JSONWriter) -> Void) {
        enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), fill)
    }

    /// `fill` writes values.
    package mutating func array(_ fill: (inout JSONWriter) -> Void) {
        enclose(UInt8(ascii: "["), UInt8(ascii: "]"), fill)
    }

    package mutating func array<Element>(
        _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        array { writer in for element in elements { write(&writer, element) } }
    }

    /// The value must follow.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(.quote)
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(.quote)
        bytes.append(.colon)
        needsComma = false
    }

    /// For keys that are not known beforehand.
    package mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(.colon)
        needsComma = false
    }

    /// An element of an array, or what follows a key; nil is `null`.
    package mutating func value(_ text: String) {
        separate()
        quote(text)
    }

    package mutating func value(_ text: String?) {
        if let text { value(text) } else { null() }
    }

    // Not generic: other modules would call it without knowing the type, which takes ten times as long.
    package mutating func value(_ number: Int64) {
        separate()
        append(number)
    }

    package mutating func value(_ number: Int) { value(Int64(number)) }

    package mutating func value(_ number: Int64?) {
        if let number { value(number) } else { null() }
    }

    /// Three decimals; JSON has no infinities.
    package mutating func value(_ number: Double) {
        separate()
        let thousandths = Int64((min(max(number.isFinite ? number : 0, -9e12), 9e12) * 1000).rounded())
        let fraction = String(thousandths.magnitude % 1000)
        if thousandths < 0 { bytes.append(.hyphen) }
        bytes.append(contentsOf: String(thousandths.magnitude / 1000).utf8)
        bytes.append(.dot)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 3 - fraction.utf8.count))
        bytes.append(contentsOf: fraction.utf8)
    }

    package mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    package mutating func value(_ texts: [String]) {
        array(texts) { $0.value($1) }
    }

    /// A key with its value that another writer has written, but for a number in it.
    package mutating func field(written start: [UInt8], _ number: Int64, _ end: [UInt8]) {
        separate()
        bytes.append(contentsOf: start)
        append(number)
        bytes.append(contentsOf: end)
    }

    /// The value of what is not known.
    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A key with its value; nil is `null`.
    package mutating func field(_ name: StaticString, _ text: String?) {
        key(name)
        value(text)
    }

    package mutating func field(_ name: StaticString, _ number: Int64) {
        key(name)
        value(number)
    }

    package mutating func field(_ name: StaticString, _ number: Int) { field(name, Int64(number)) }

    package mutating func field(_ name: StaticString, _ number: Int64?) {
        key(name)
        value(number)
    }

    package mutating func value<Entity>(_ id: ID<Entity>?) { value(id?.rawValue) }

    package mutating func field<Entity>(_ name: StaticString, _ id: ID<Entity>?) { field(name, id?.rawValue) }

    /// Writes a time as seconds since 1970.
    package mutating func field(_ name: StaticString, _ time: Timestamp?) { field(name, time?.rawValue) }

    package mutating func field(_ name: StaticString, _ number: Double) {
        key(name)
        value(number)
    }

    package mutating func field(_ name: StaticString, _ flag: Bool) {
        key(name)
        value(flag)
    }

    package mutating func field(_ name: StaticString, _ texts: [String]) {
        key(name)
        value(texts)
    }

    package mutating func field<Element>(
        _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        array(elements, write)
    }

    /// A key with an object.
    package mutating func object(_ name: StaticString, _ fill: (inout JSONWriter) -> Void) {
        key(name)
        object(fill)
    }

    /// A key with an array of objects.
    package mutating func objects<Element>(
        _ name: StaticString, _ elements: some Sequence<Element>, _ fill: (inout JSONWriter, Element) -> Void
    ) {
        field(name, elements) { json, element in json.object { fill(&$0, element) } }
    }

    private mutating func enclose(_ first: UInt8, _ last: UInt8, _ fill: (inout JSONWriter) -> Void) {
        open(first)
        fill(&self)
        close(last)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(.comma) }
        needsComma = true
    }

    /// Lists are mostly numbers: `String` takes ten times as long as this.
    private mutating func append(_ number: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.maxDigits) { digits in
            var (rest, start) = (number.magnitude, Self.maxDigits)
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 { bytes.append(.hyphen) }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Digits of the longest number of 64 bits, with its sign.
    private static let maxDigits = 20

    /// Escapes what RFC 8259 §7 asks for and, so that a line shown on a terminal cannot command it, DEL and C1
    /// controls; and U+2028 and U+2029, at which readers of lines (Python's `splitlines`) would cut the object.
    private mutating func quote(_ text: String) {
        bytes.append(.quote)
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for (index, byte) in utf8.enumerated() {
                if byte == 0xE2, index + 2 < utf8.count, utf8[index + 1] == 0x80, utf8[index + 2] & 0xFE == 0xA8 {
                    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
                    start = index + 3
                    bytes.append(contentsOf: utf8[index + 2] == 0xA8 ? #"\u2028"#.utf8 : #"\u2029"#.utf8)
                    continue
                }
                let isC1 = byte == 0xC2 && index + 1 < utf8.count && utf8[index + 1] < 0xA0
                guard byte < .space || byte == .quote || byte == .backslash || byte == .delete || isC1 else { continue }
                if start > index { continue }  // the second byte of a C1 control is behind us
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
                start = index + (isC1 ? 2 : 1)
                escape(isC1 ? utf8[index + 1] : byte)
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(.quote)
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(.backslash)
        switch byte {
        case .quote, .backslash: bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case .tab: bytes.append(UInt8(ascii: "t"))
        case .lf: bytes.append(UInt8(ascii: "n"))
        case .ff: bytes.append(UInt8(ascii: "f"))
        case .cr: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(Hex.digit(byte >> 4))
            bytes.append(Hex.digit(byte & 15))
        }
    }
}
