/// The name of an XML element or attribute, in which the prefix does not count (Namespaces in XML 1.0 §2.1).
struct MarkupName: Hashable, Sendable {
    /// Empty for none.
    var namespace: String
    var local: String

    static let davNamespace = "DAV:"
    static let language = MarkupName(namespace: "http://www.w3.org/XML/1998/namespace", local: "lang")

    static func dav(_ local: String) -> MarkupName { MarkupName(namespace: davNamespace, local: local) }

    /// `{namespace}local`, as the library stores it.
    var key: String { "{\(namespace)}\(local)" }

    /// Nil when the text does not begin with a name in braces. A local name holds no brace, so the last one ends the
    /// namespace. Searched by scalars, since the scalar after a brace may combine with it to one `Character`.
    init?(key: String) {
        let scalars = key.unicodeScalars
        guard scalars.first == "{", let end = scalars.lastIndex(of: "}") else { return nil }
        namespace = String(scalars[scalars.index(after: scalars.startIndex)..<end])
        local = String(scalars[scalars.index(after: end)...])
    }

    init(namespace: String, local: String) {
        self.namespace = namespace
        self.local = local
    }
}

struct MarkupAttribute: Hashable, Sendable {
    var name: MarkupName
    /// As it was written; empty for none.
    var prefix: String
    var value: String
}

enum MarkupNode: Hashable, Sendable {
    case element(MarkupElement)
    case text(String)
}

/// An element of a request body, with what RFC 4918 §4.3 requires to be kept of a property: names, prefixes,
/// attributes, text and elements, without comments and processing instructions.
struct MarkupElement: Hashable, Sendable {
    var name: MarkupName
    /// As it was written; empty for none.
    var prefix: String
    var attributes: [MarkupAttribute] = []
    /// The prefixes that this element declares; the empty one is the default namespace.
    var declarations: [String: String] = [:]
    /// All prefixes in scope. The text of values may use them, so all are kept.
    var scope: [String: String] = [:]
    /// `xml:lang` in scope.
    var language: String?
    var children: [MarkupNode] = []

    var elements: [MarkupElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Its own text, without that of its elements.
    var text: String {
        children.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    }

    func first(_ name: MarkupName) -> MarkupElement? { elements.first { $0.name == name } }
}
