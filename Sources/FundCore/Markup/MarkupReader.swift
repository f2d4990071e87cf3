/// The reason for which a document cannot be read.
package struct MarkupError: Error, Equatable {
    /// One sentence without a full stop.
    package var reason: String

    package init(reason: String) { self.reason = reason }
}

/// A strict, non-validating XML 1.0 reader with namespaces, for bodies of requests and answers. It refuses a DOCTYPE:
/// there are no entities but the five of XML, nothing is fetched, and nothing is longer in the result than in the body.
package struct MarkupReader {
    /// Deeper than properties of clients are. Recursion takes some hundred bytes of stack a level.
    package static let maxDepth = 32
    /// An element takes at least four bytes of the body, and some hundred bytes of memory.
    package static let maxElements = 4096
    package static let maxNamespacesInScope = 128

    var scalars: [Unicode.Scalar]
    var position = 0
    private var elementCount = 0
    private let maxElements: Int
    /// Takes the elements in the root instead of the root; nil where the root keeps them.
    private var takeElement: ((MarkupElement) throws -> Void)?

    /// The root element of a whole document. Throws `MarkupError`.
    package static func read(_ bytes: [UInt8], maxElements: Int = Self.maxElements) throws -> MarkupElement {
        var reader = try MarkupReader(scalars: MarkupEncoding.scalars(of: bytes), maxElements)
        return try reader.readDocument()
    }

    /// Reads a whole document of any number of elements: each one in the root is passed on with what is in it, at most
    /// `maxElements`, and is not kept. Throws `MarkupError`, and what `take` throws.
    ///
    /// - Returns: the root element without the elements in it.
    @discardableResult
    package static func read(
        _ bytes: [UInt8], eachElement take: @escaping (MarkupElement) throws -> Void
    ) throws -> MarkupElement {
        var reader = try MarkupReader(scalars: MarkupEncoding.scalars(of: bytes), Self.maxElements)
        reader.takeElement = take
        return try reader.readDocument()
    }

    private init(scalars: [Unicode.Scalar], _ maxElements: Int) {
        (self.scalars, self.maxElements) = (scalars, maxElements)
    }

    private mutating func readDocument() throws -> MarkupElement {
        if looksAt("<?xml"), position + 5 < scalars.count, Self.isSpace(scalars[position + 5]) {
            try skip(past: "?>")
        }
        try skipBetweenElements()
        var outermost = MarkupElement(name: MarkupName(namespace: "", local: ""), prefix: "")
        outermost.scope = ["xml": MarkupName.language.namespace]
        let root = try readElement(in: outermost, depth: 1)
        try skipBetweenElements()
        guard position == scalars.count else { throw MarkupError(reason: "something follows the root element") }
        return root
    }

    /// White space, comments and processing instructions around the root element.
    private mutating func skipBetweenElements() throws {
        while true {
            skipSpace()
            if looksAt("<!--") { try skipComment() } else if looksAt("<?") { try skipInstruction() } else { break }
        }
        if looksAt("<!DOCTYPE") { throw MarkupError(reason: "a document type definition is not accepted") }
    }

    private mutating func readElement(in parent: MarkupElement, depth: Int) throws -> MarkupElement {
        guard depth <= Self.maxDepth else { throw MarkupError(reason: "elements are nested too deep") }
        elementCount += 1
        guard elementCount <= maxElements else { throw MarkupError(reason: "there are too many elements") }
        try expect("<")
        let tag = try readName()
        var (element, isEmpty) = try readStart(of: tag, in: parent)
        if !isEmpty {
            element.children = try readContent(of: element, depth: depth)
            try expect("</")
            guard try readName() == tag else { throw MarkupError(reason: "an end tag does not fit its start tag") }
            skipSpace()
            try expect(">")
        }
        return element
    }

    private mutating func readContent(of element: MarkupElement, depth: Int) throws -> [MarkupNode] {
        var children: [MarkupNode] = []
        var text = String.UnicodeScalarView()
        func flush() {
            if !text.isEmpty { children.append(.text(String(text))) }
            text = String.UnicodeScalarView()
        }
        while position < scalars.count {
            switch scalars[position] {
            case "<":
                if looksAt("</") {
                    flush()
                    return children
                } else if looksAt("<!--") {
                    try skipComment()
                } else if looksAt("<?") {
                    try skipInstruction()
                } else if looksAt("<![CDATA[") {
                    position += 9
                    let start = position
                    try skip(past: "]]>")
                    text.append(contentsOf: scalars[start..<position - 3])
                } else {
                    flush()
                    let child = try readElement(in: element, depth: depth + 1)
                    if depth == 1, let takeElement {
                        elementCount = 1
                        try takeElement(child)
                    } else {
                        children.append(.element(child))
                    }
                }
            case "&": text.append(try readReference())
            case "]" where looksAt("]]>"): throw MarkupError(reason: "]]> stands in text")
            default:
                text.append(scalars[position])
                position += 1
            }
        }
        throw MarkupError(reason: "the body ends within an element")
    }

    mutating func readReference() throws -> Unicode.Scalar {
        guard let end = scalars[position...].prefix(16).firstIndex(of: ";") else {
            throw MarkupError(reason: "an ampersand begins no reference")
        }
        var name = String.UnicodeScalarView()
        name.append(contentsOf: scalars[position + 1..<end])
        position = end + 1
        switch String(name) {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "apos": return "'"
        case "quot": return "\""
        case let text where text.hasPrefix("#"):
            let isHex = text.hasPrefix("#x")
            let digits = text.utf8.dropFirst(isHex ? 2 : 1)
            guard !digits.isEmpty, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let value = UInt32(String(Substring(digits)), radix: isHex ? 16 : 10),
                let scalar = Unicode.Scalar(value), MarkupEncoding.isCharacter(scalar)
            else { throw MarkupError(reason: "a character reference names no character") }
            return scalar
        default: throw MarkupError(reason: "an entity is not known: there is no DTD")
        }
    }
}
