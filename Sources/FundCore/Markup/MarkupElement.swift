/// The name of an XML element or attribute, in which the prefix does not count (Namespaces in XML 1.0 §2.1).
package struct MarkupName: Hashable, Sendable {
    /// Empty for none.
    package var namespace: String
    package var local: String

    package init(namespace: String, local: String) { (self.namespace, self.local) = (namespace, local) }

    package static let davNamespace = "DAV:"
    package static let language = MarkupName(namespace: "http://www.w3.org/XML/1998/namespace", local: "lang")

    /// A name of WebDAV.
    package static func dav(_ local: String) -> MarkupName { MarkupName(namespace: davNamespace, local: local) }

    /// `{namespace}local`, as the library stores it.
    package var key: String { "{\(namespace)}\(local)" }
}

extension MarkupName {
    /// Nil when the text does not begin with a name in braces. A local name holds no brace, so the last one ends the
    /// namespace. Searched by scalars, since the scalar after a brace may combine with it to one `Character`.
    package init?(key: String) {
        let scalars = key.unicodeScalars
        guard scalars.first == "{", let end = scalars.lastIndex(of: "}") else { return nil }
        namespace = String(scalars[scalars.index(after: scalars.startIndex)..<end])
        local = String(scalars[scalars.index(after: end)...])
    }
}

// The characters of names (NCName, Namespaces in XML 1.0 §3) that all readers accept. The fourth edition of XML 1.0
// (Appendix B) lists letters of Unicode 2.0, which readers such as expat still follow; the fifth allows nearly all
// characters, U+200D included. One property with a name that some readers refuse makes a whole listing unreadable for
// them, so names consist of letters that both editions allow, of the larger blocks and without compatibility letters.
extension MarkupName {
    static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x80
            ? scalar.properties.isAlphabetic || scalar == "_"
            : letters.contains { $0.contains(scalar.value) }
    }

    /// Whether it may follow the first character, besides those of `isStart`.
    static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "-", ".", "0"..."9", "\u{B7}", "\u{300}"..."\u{345}": true
        default: false
        }
    }

    /// Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Devanagari, Thai, Georgian, kana, bopomofo, Han and Hangul.
    private static let letters: [ClosedRange<UInt32>] = [
        0xC0...0xD6, 0xD8...0xF6, 0xF8...0x131, 0x134...0x13E, 0x141...0x148, 0x14A...0x17E, 0x180...0x1C3,
        0x1CD...0x1F0, 0x1FA...0x217, 0x250...0x2A8, 0x388...0x38A, 0x38E...0x3A1, 0x3A3...0x3CE, 0x401...0x40C,
        0x40E...0x44F, 0x451...0x45C, 0x45E...0x481, 0x490...0x4C4, 0x4D0...0x4EB, 0x531...0x556, 0x561...0x586,
        0x5D0...0x5EA, 0x621...0x63A, 0x641...0x64A, 0x671...0x6B7, 0x905...0x939, 0xE01...0xE2E, 0x10D0...0x10F6,
        0x1E00...0x1E9B, 0x1EA0...0x1EF9, 0x3041...0x3094, 0x30A1...0x30FA, 0x3105...0x312C, 0x4E00...0x9FA5,
        0xAC00...0xD7A3,
    ]
}

/// An attribute of an element.
package struct MarkupAttribute: Hashable, Sendable {
    package var name: MarkupName
    /// Prefix as it was written; empty for none.
    package var prefix: String
    package var value: String

    package init(name: MarkupName, prefix: String, value: String) {
        (self.name, self.prefix, self.value) = (name, prefix, value)
    }
}

/// A part of the content of an element.
package enum MarkupNode: Hashable, Sendable {
    case element(MarkupElement)
    case text(String)
}

/// An element of a document, with what RFC 4918 §4.3 requires to be kept of a property: names, prefixes,
/// attributes, text and elements, without comments and processing instructions.
package struct MarkupElement: Hashable, Sendable {
    package var name: MarkupName
    /// Prefix as it was written; empty for none.
    package var prefix: String
    package var attributes: [MarkupAttribute] = []
    /// The prefixes that this element declares; the empty one is the default namespace.
    package var declarations: [String: String] = [:]
    /// All prefixes in scope. The text of values may use them, so all are kept.
    package var scope: [String: String] = [:]
    /// `xml:lang` in scope.
    package var language: String?
    package var children: [MarkupNode] = []

    package init(name: MarkupName, prefix: String) { (self.name, self.prefix) = (name, prefix) }

    /// Its elements, without text between them.
    package var elements: [MarkupElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Its own text, without that of its elements.
    package var text: String {
        children.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    }

    /// The first of its elements of a name; nil when there is none.
    package func first(_ name: MarkupName) -> MarkupElement? { elements.first { $0.name == name } }
}
