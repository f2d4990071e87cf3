// Start tags: attributes and namespaces (Namespaces in XML 1.0).
extension MarkupReader {
    private static let xmlnsNamespace = "http://www.w3.org/2000/xmlns/"

    /// A name as it is written.
    struct Tag: Hashable {
        var prefix: String
        var local: String
    }

    /// Reads the rest of a start tag, after its name.
    mutating func readStart(of tag: Tag, in parent: MarkupElement) throws -> (MarkupElement, isEmpty: Bool) {
        var written: [(tag: Tag, value: String)] = []
        var seen: Set<Tag> = []
        var isEmpty = false
        while true {
            let hadSpace = skipSpace()
            if looksAt("/>") {
                position += 2
                isEmpty = true
                break
            }
            if looksAt(">") {
                position += 1
                break
            }
            guard hadSpace else { throw MarkupError(reason: "there is no space before an attribute") }
            let name = try readName()
            guard seen.insert(name).inserted else { throw MarkupError(reason: "an attribute stands twice") }
            skipSpace()
            try expect("=")
            skipSpace()
            written.append((name, try readAttributeValue()))
        }
        return (try element(tag, written, in: parent), isEmpty)
    }

    private func element(
        _ tag: Tag, _ written: [(tag: Tag, value: String)], in parent: MarkupElement
    ) throws -> MarkupElement {
        var element = MarkupElement(name: MarkupName(namespace: "", local: tag.local), prefix: tag.prefix)
        element.scope = parent.scope
        element.language = parent.language
        for (name, value) in written {
            guard let prefix = name.declaredPrefix else { continue }
            try Self.check(prefix: prefix, namespace: try Self.comparable(value))
            element.declarations[prefix] = value
            element.scope[prefix] = value
        }
        guard element.scope.count <= Self.maxNamespacesInScope else {
            throw MarkupError(reason: "there are too many namespaces")
        }
        element.name.namespace = try namespace(of: tag.prefix, in: element.scope)
        var seen: Set<MarkupName> = []
        for (tag, value) in written where tag.declaredPrefix == nil {
            // The default namespace does not apply to attributes (§6.2).
            let namespace = tag.prefix.isEmpty ? "" : try namespace(of: tag.prefix, in: element.scope)
            let name = MarkupName(namespace: namespace, local: tag.local)
            guard seen.insert(name).inserted else { throw MarkupError(reason: "an attribute stands twice") }
            element.attributes.append(MarkupAttribute(name: name, prefix: tag.prefix, value: value))
            if name == .language { element.language = value }
        }
        return element
    }

    private func namespace(of prefix: String, in scope: [String: String]) throws -> String {
        if let namespace = scope[prefix] { return namespace }
        guard prefix.isEmpty else { throw MarkupError(reason: "a namespace prefix is not declared") }
        return ""
    }

    /// §3: `xml` and `xmlns` are reserved, and a prefix cannot be bound to the empty namespace (litmus tests that).
    private static func check(prefix: String, namespace: String) throws {
        let isXML = namespace == MarkupName.language.namespace
        guard prefix != "xmlns", (prefix == "xml") == isXML, namespace != xmlnsNamespace,
            prefix.isEmpty || !namespace.isEmpty
        else { throw MarkupError(reason: "a namespace is declared that cannot be") }
    }

    private mutating func readAttributeValue() throws -> String {
        guard position < scalars.count, scalars[position] == "\"" || scalars[position] == "'" else {
            throw MarkupError(reason: "an attribute has no quoted value")
        }
        let quote = scalars[position]
        position += 1
        var value = String.UnicodeScalarView()
        while position < scalars.count, scalars[position] != quote {
            switch scalars[position] {
            case "<": throw MarkupError(reason: "< stands in an attribute")
            case "&": value.append(try readReference())
            case let scalar:
                value.append(Self.isSpace(scalar) ? " " : scalar)  // XML 1.0 §3.3.3
                position += 1
            }
        }
        try expect(String(quote))
        return String(value)
    }
}

extension MarkupReader.Tag {
    /// The prefix that this attribute declares: `p` of `xmlns:p="…"`, empty for `xmlns="…"`, nil for others.
    fileprivate var declaredPrefix: String? {
        if prefix == "xmlns" { return local }
        return prefix.isEmpty && local == "xmlns" ? "" : nil
    }
}
