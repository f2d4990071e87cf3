package import NIOCore

/// Writes JSON (RFC 8259), compact, keys in the order of the calls.
package struct JSONText {
    package private(set) var buffer = ByteBuffer()
    /// A comma is due before the next member or element.
    private var needsComma = false

    package init() {}

    package mutating func object(_ body: (inout JSONText) -> Void) {
        enclose("{", "}", body)
    }

    package mutating func array<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONText, Element) -> Void)
    {
        enclose("[", "]") { json in
            for element in elements { body(&json, element) }
        }
    }

    package mutating func key(_ name: String) {
        separate()
        write(name)
        buffer.writeStaticString(":")
        needsComma = false
    }

    package mutating func value(_ text: String?) {
        separate()
        if let text { write(text) } else { buffer.writeStaticString("null") }
        needsComma = true
    }

    package mutating func value(_ number: Int64?) {
        separate()
        buffer.writeString(number.map(String.init) ?? "null")
        needsComma = true
    }

    package mutating func value(_ flag: Bool) {
        separate()
        buffer.writeString(flag ? "true" : "false")
        needsComma = true
    }

    package mutating func field(_ name: String, _ text: String?) {
        key(name)
        value(text)
    }

    package mutating func field(_ name: String, _ number: Int64?) {
        key(name)
        value(number)
    }

    package mutating func field(_ name: String, _ flag: Bool) {
        key(name)
        value(flag)
    }

    package mutating func field(_ name: String, _ texts: [String]) {
        key(name)
        array(texts) { $0.value($1) }
    }

    package mutating func field<Element>(
        _ name: String, _ elements: some Sequence<Element>, _ body: (inout JSONText, Element) -> Void
    ) {
        key(name)
        array(elements, body)
    }

    private mutating func enclose(_ start: StaticString, _ end: StaticString, _ body: (inout JSONText) -> Void) {
        separate()
        buffer.writeStaticString(start)
        needsComma = false
        body(&self)
        buffer.writeStaticString(end)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { buffer.writeStaticString(",") }
        needsComma = false
    }

    private mutating func write(_ text: String) {
        buffer.writeStaticString("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): buffer.writeStaticString("\\\"")
            case UInt8(ascii: "\\"): buffer.writeStaticString("\\\\")
            case UInt8(ascii: "\n"): buffer.writeStaticString("\\n")
            case 0..<0x20, 0x7f:
                let digits = String(byte, radix: 16)
                buffer.writeString("\\u00" + (digits.count == 1 ? "0" : "") + digits)
            default: buffer.writeInteger(byte)
            }
        }
        buffer.writeStaticString("\"")
    }
}
