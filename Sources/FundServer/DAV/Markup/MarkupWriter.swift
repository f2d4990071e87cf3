internal import FundCore
internal import Hummingbird

/// Writes XML into one buffer. Text is escaped; characters that XML does not allow become U+FFFD.
struct MarkupWriter {
    private var bytes: [UInt8] = []

    /// - Parameter declaring: begins with the XML declaration.
    init(declaring: Bool = true) {
        if declaring { raw("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n") }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var byteCount: Int { bytes.count }

    var buffer: ByteBuffer { ByteBuffer(bytes: bytes) }

    /// Appends markup of this server, or of `MarkupElement.standalone`, as it is.
    mutating func raw(_ markup: String) {
        // A buffer is copied at once; a view of a string is copied byte by byte.
        var markup = markup
        markup.withUTF8 { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ other: MarkupWriter) { bytes += other.bytes }

    mutating func escaped(_ value: String, inAttribute: Bool = false) {
        // Most names need no escaping.
        var value = value
        let isWritten = value.withUTF8 { text in
            guard text.allSatisfy({ Self.isPlain($0, inAttribute) }) else { return false }
            bytes.append(contentsOf: text)
            return true
        }
        if isWritten { return }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": raw("&amp;")
            case "<": raw("&lt;")
            case ">": raw("&gt;")
            case "\"" where inAttribute: raw("&quot;")
            // Unescaped, a reader takes them for a line feed or a space (XML 1.0 §2.11, §3.3.3).
            case "\r": raw("&#13;")
            case "\n" where inAttribute: raw("&#10;")
            case "\t" where inAttribute: raw("&#9;")
            default: bytes += Array(String(MarkupEncoding.isCharacter(scalar) ? scalar : "\u{FFFD}").utf8)
            }
        }
    }

    /// `<name>value</name>`.
    mutating func element(_ name: String, _ value: String) {
        raw("<")
        raw(name)
        raw(">")
        escaped(value)
        raw("</")
        raw(name)
        raw(">")
    }

    private static func isPlain(_ byte: UInt8, _ inAttribute: Bool) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "&") && byte != UInt8(ascii: "<")
            && byte != UInt8(ascii: ">") && (byte != UInt8(ascii: "\"") || !inAttribute)
    }
}

extension MarkupElement {
    /// The element as text that means the same anywhere, with all namespaces and the language in scope.
    var standalone: String {
        var root = self
        root.declarations = scope.filter { $0.key != "xml" }
        if let language, !attributes.contains(where: { $0.name == .language }) {
            root.attributes.append(MarkupAttribute(name: .language, prefix: "xml", value: language))
        }
        // Otherwise a default namespace of its surroundings would apply.
        if root.declarations[""] == nil, usesNoNamespace { root.declarations[""] = "" }
        var writer = MarkupWriter(declaring: false)
        root.write(to: &writer)
        return writer.text
    }

    private var usesNoNamespace: Bool { prefix.isEmpty || elements.contains(where: \.usesNoNamespace) }

    private func write(to writer: inout MarkupWriter) {
        let tag = prefix.isEmpty ? name.local : "\(prefix):\(name.local)"
        writer.raw("<\(tag)")
        for (prefix, namespace) in declarations.sorted(by: { $0.key < $1.key }) {
            writer.raw(prefix.isEmpty ? " xmlns=\"" : " xmlns:\(prefix)=\"")
            writer.escaped(namespace, inAttribute: true)
            writer.raw("\"")
        }
        for attribute in attributes {
            let name = attribute.prefix.isEmpty ? attribute.name.local : "\(attribute.prefix):\(attribute.name.local)"
            writer.raw(" \(name)=\"")
            writer.escaped(attribute.value, inAttribute: true)
            writer.raw("\"")
        }
        guard !children.isEmpty else {
            writer.raw("/>")
            return
        }
        writer.raw(">")
        for child in children {
            switch child {
            case .text(let text): writer.escaped(text)
            case .element(let element): element.write(to: &writer)
            }
        }
        writer.raw("</\(tag)>")
    }
}
