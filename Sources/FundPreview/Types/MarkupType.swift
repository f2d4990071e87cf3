import FundCore

/// HTML and SVG, by the first element behind declarations and comments.
enum MarkupType {
    private static let htmlElements: Set<String> = [
        "html", "head", "body", "title", "meta", "link", "style", "script", "base", "table", "div", "p", "span", "h1",
        "center", "font", "br", "a", "b", "img", "ul", "form", "section", "article",
    ]

    /// Nil for what is no markup, and for XML of other kinds.
    static func type(of bytes: [UInt8]) -> TrueType? {
        guard let tag = rootTag(of: bytes) else { return nil }
        if tag.isDocumentType { return .html }
        let name = ASCII.lowercased(tag.name)
        if name == "svg" || name.hasSuffix(":svg") { return .svg }
        return htmlElements.contains(name) ? .html : nil
    }

    struct RootTag {
        /// The name as it is written.
        var name: ArraySlice<UInt8>
        /// Text between its name and its `>`.
        var attributes: ArraySlice<UInt8> = []
        /// It is no element but `<!doctype html`.
        var isDocumentType = false
    }

    /// The first tag that is no comment, declaration or instruction; nil when something else stands before it.
    static func rootTag(of bytes: [UInt8]) -> RootTag? {
        var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        while true {
            rest = rest.drop(while: ASCII.isSpace)
            guard rest.first == .lessThan else { return nil }
            if rest.starts(with: "<!--".utf8) {
                guard let end = end(of: "-->", in: bytes, from: rest.startIndex + 4) else { return nil }
                rest = bytes[end...]
            } else if rest.starts(with: "<?".utf8) {
                guard let end = end(of: "?>", in: bytes, from: rest.startIndex + 2) else { return nil }
                rest = bytes[end...]
            } else if ASCII.lowercased(rest.prefix(9)) == "<!doctype" {
                let name = rest.dropFirst(9).drop(while: ASCII.isSpace).prefix { ASCII.isAlphanumeric($0) }
                if ASCII.lowercased(name) == "html" { return RootTag(name: name, isDocumentType: true) }
                guard let end = endOfDoctype(rest) else { return nil }
                rest = rest[end...]
            } else {
                return tag(rest.dropFirst())
            }
        }
    }

    private static func tag(_ rest: ArraySlice<UInt8>) -> RootTag? {
        let name = rest.prefix { ASCII.isAlphanumeric($0) || $0 == .colon || $0 == .hyphen }
        guard let first = name.first, ASCII.isLetter(first) else { return nil }
        var quote: UInt8?
        for index in rest[name.endIndex...].indices {
            let byte = rest[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == .quote || byte == .apostrophe {
                quote = byte
            } else if byte == .greaterThan {
                return RootTag(name: name, attributes: rest[name.endIndex..<index])
            }
        }
        return nil
    }

    private static func end(of mark: String, in bytes: [UInt8], from start: Int) -> Int? {
        ASCII.firstIndex(of: Array(mark.utf8), in: bytes, from: start).map { $0 + mark.utf8.count }
    }

    /// Behind the `>` of a document type declaration, whose subset in brackets has others.
    private static func endOfDoctype(_ rest: ArraySlice<UInt8>) -> Int? {
        var (depth, quote): (Int, UInt8?) = (0, nil)
        for index in rest.indices {
            let byte = rest[index]
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case .quote, .apostrophe: quote = byte
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case .greaterThan where depth <= 0: return index + 1
            default: break
            }
        }
        return nil
    }
}
