import FundCore

/// A token of markup, as far as it matters here.
enum MarkupToken: Equatable {
    /// With its character references as they are written.
    case text([UInt8])
    /// Content of an element that is no markup, such as `style`; nothing in it is a reference.
    case rawText([UInt8])
    case start(MarkupTag)
    case end(String)
}

/// A start tag.
struct MarkupTag: Equatable {
    struct Attribute: Equatable {
        /// In lower case.
        var name: String
        /// With character references decoded.
        var value: String
    }

    /// In lower case.
    var name: String
    /// Each name once: the first counts (WHATWG HTML §13.2.5.33).
    var attributes: [Attribute] = []
    /// It ends in `/>`.
    var isSelfClosing = false

    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
}

/// Takes markup apart as browsers do (WHATWG HTML §13.2.5). Comments, declarations and processing instructions are
/// passed over. Takes time that grows with the length only: what is not closed goes on to the end.
struct MarkupTokenizer {
    /// Names beyond it are those of no element or attribute that is kept.
    private static let maxNameBytes = 64
    /// Attributes of one tag that are read.
    private static let maxAttributes = 64
    /// Elements whose content is no markup, with scripting disabled (§13.2.6.4).
    private static let rawElements: Set<String> = ["style", "xmp", "iframe", "noembed", "noframes"]
    private static let referenceElements: Set<String> = ["title", "textarea"]

    private let bytes: [UInt8]
    private var position = 0
    /// How the text behind the start tag read last is read.
    private var content = Content.data
    /// Set by the reader of the tokens while an element of SVG or MathML is open: names mean nothing then, and CDATA
    /// sections are text (§13.2.5.42).
    var isForeign = false

    private enum Content: Equatable {
        case data, plainText
        case raw(String)
        case script
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Nil at the end.
    mutating func next() -> MarkupToken? {
        while position < bytes.count {
            let token: MarkupToken?
            switch content {
            case .data: token = bytes[position] == .lessThan ? takeMarkup() : takeText()
            case .plainText: token = .rawText(take(upTo: bytes.count))
            case .raw(let name): token = takeRaw(upTo: endTag(of: name, from: position))
            case .script: token = takeRaw(upTo: endOfScript())
            }
            if let token { return token }
        }
        return nil
    }

    // MARK: Text

    private mutating func take(upTo end: Int) -> [UInt8] {
        defer { position = end }
        return Array(bytes[position..<end])
    }

    private mutating func takeText() -> MarkupToken {
        .text(take(upTo: bytes[position...].firstIndex(of: .lessThan) ?? bytes.count))
    }

    private mutating func takeRaw(upTo end: Int) -> MarkupToken? {
        let text = take(upTo: end)
        content = .data
        return text.isEmpty ? nil : .rawText(text)
    }

    /// Whether `text`, in lower case, stands at `start`.
    private func has(_ text: StaticString, at start: Int) -> Bool {
        text.withUTF8Buffer { text in
            start + text.count <= bytes.count
                && zip(text, bytes[start...]).allSatisfy { $0 == ASCII.lowercased($1) }
        }
    }

    private func has(name: String, at start: Int) -> Bool {
        let end = start + name.utf8.count
        guard end < bytes.count, zip(name.utf8, bytes[start...]).allSatisfy({ $0 == ASCII.lowercased($1) }) else {
            return false
        }
        return Self.isSpace(bytes[end]) || bytes[end] == .slash || bytes[end] == .greaterThan
    }

    /// The appropriate end tag (§13.2.5.11); the end of all when there is none.
    private func endTag(of name: String, from start: Int) -> Int {
        var index = start
        while let found = bytes[index...].firstIndex(of: .lessThan) {
            if has("</", at: found), has(name: name, at: found + 2) { return found }
            index = found + 1
        }
        return bytes.count
    }

    /// §13.2.5.15 and the states behind it: `<!--` hides one `</script` after a `<script`.
    private func endOfScript() -> Int {
        var (index, isEscaped, isDoubled) = (position, false, false)
        while index < bytes.count {
            if !isEscaped, has("<!--", at: index) {
                // The dashes may be those of the end, as in `<!-->`.
                (isEscaped, index) = (true, index + 2)
            } else if isEscaped, has("-->", at: index) {
                (isEscaped, isDoubled, index) = (false, false, index + 3)
            } else if isEscaped, !isDoubled, bytes[index] == .lessThan, has(name: "script", at: index + 1) {
                (isDoubled, index) = (true, index + 7)
            } else if has("</", at: index), has(name: "script", at: index + 2) {
                guard isDoubled else { return index }
                (isDoubled, index) = (false, index + 8)
            } else {
                index += 1
            }
        }
        return bytes.count
    }

    // MARK: Markup

    /// At a `<`. Nil for what is passed over.
    private mutating func takeMarkup() -> MarkupToken? {
        let next = position + 1 < bytes.count ? bytes[position + 1] : nil
        switch next {
        case let byte? where ASCII.isLetter(byte):
            position += 1
            return takeStartTag()
        case UInt8.slash?:
            position += 2
            guard position < bytes.count else { return .text(Array("</".utf8)) }
            if ASCII.isLetter(bytes[position]) { return takeTag().map { .end($0.name) } }
            skip(past: .greaterThan)
        case UInt8(ascii: "!")?: return takeDeclaration()
        case UInt8.questionMark?: skip(past: .greaterThan)
        default:
            position += 1
            return .text([.lessThan])
        }
        return nil
    }

    private mutating func skip(past byte: UInt8) {
        position = bytes[position...].firstIndex(of: byte).map { $0 + 1 } ?? bytes.count
    }

    private mutating func takeDeclaration() -> MarkupToken? {
        if has("<!--", at: position) {
            position += 4
            skipComment()
        } else if isForeign, Array(bytes[position...].prefix(9)) == Array("<![CDATA[".utf8) {
            position += 9
            var end = position
            while end < bytes.count, !has("]]>", at: end) { end += 1 }
            defer { position = min(end + 3, bytes.count) }
            return .rawText(Array(bytes[position..<end]))
        } else {
            skip(past: .greaterThan)
        }
        return nil
    }

    /// Behind `<!--`, to `-->` or `--!>`; `>` and `->` end it at once (§13.2.5.43).
    private mutating func skipComment() {
        if has(">", at: position) { return position += 1 }
        if has("->", at: position) { return position += 2 }
        while position < bytes.count {
            if has("-->", at: position) { return position += 3 }
            if has("--!>", at: position) { return position += 4 }
            position += 1
        }
    }

    private mutating func takeStartTag() -> MarkupToken? {
        guard let tag = takeTag() else { return nil }
        if !isForeign {
            if Self.rawElements.contains(tag.name) || Self.referenceElements.contains(tag.name) {
                content = .raw(tag.name)
            } else if tag.name == "script" {
                content = .script
            } else if tag.name == "plaintext" {
                content = .plainText
            }
        }
        return .start(tag)
    }

    /// At the first letter of a name. Nil for a tag that does not end, which browsers drop.
    private mutating func takeTag() -> MarkupTag? {
        var tag = MarkupTag(name: takeName(endingAt: "/>"))
        while position < bytes.count {
            let byte = bytes[position]
            if byte == .greaterThan {
                position += 1
                return tag
            }
            tag.isSelfClosing = byte == .slash
            if Self.isSpace(byte) || byte == .slash {
                position += 1
                continue
            }
            guard let attribute = takeAttribute() else { return nil }
            if tag.attributes.count < Self.maxAttributes, tag[attribute.name] == nil {
                tag.attributes.append(attribute)
            }
        }
        return nil
    }

    /// In lower case. A name that is too long is cut, and is that of nothing known then.
    private mutating func takeName(endingAt ends: StaticString) -> String {
        let start = position
        // An equals sign at the very beginning belongs to the name (§13.2.5.32).
        position += 1
        position =
            bytes[position...].firstIndex { byte in
                Self.isSpace(byte) || ends.withUTF8Buffer { $0.contains(byte) }
            } ?? bytes.count
        let name = ASCII.lowercased(bytes[start..<position].prefix(Self.maxNameBytes))
        return position - start > Self.maxNameBytes ? name + "…" : name
    }

    /// Nil when it goes on to the end.
    private mutating func takeAttribute() -> MarkupTag.Attribute? {
        let name = takeName(endingAt: "/>=")
        skipSpace()
        guard position < bytes.count else { return nil }
        guard bytes[position] == .equals else { return MarkupTag.Attribute(name: name, value: "") }
        position += 1
        skipSpace()
        guard position < bytes.count else { return nil }
        let quote = bytes[position]
        let value: [UInt8]
        if quote == .quote || quote == .apostrophe {
            position += 1
            guard let end = bytes[position...].firstIndex(of: quote) else {
                position = bytes.count
                return nil
            }
            value = take(upTo: end)
            position += 1
        } else {
            // `>` here ends the tag, and the value is empty.
            value = take(upTo: bytes[position...].firstIndex { Self.isSpace($0) || $0 == .greaterThan } ?? bytes.count)
        }
        return MarkupTag.Attribute(name: name, value: CharacterReferences.decoded(value, inAttribute: true))
    }

    private mutating func skipSpace() {
        position = bytes[position...].firstIndex { !Self.isSpace($0) } ?? bytes.count
    }

    /// ASCII whitespace of the Infra standard: no vertical tab.
    static func isSpace(_ byte: UInt8) -> Bool { ASCII.isSpace(byte) && byte != .vt }
}
