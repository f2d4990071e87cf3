import FundCore

/// The charset that an HTML text names by itself (RFC 6657 §3): in a `meta` element, as browsers look for it before
/// they read the text (WHATWG HTML §13.2.3.2), or in the declaration of XML.
enum HTMLCharset {
    /// Browsers look at 1,024 bytes; Office writes comments and namespaces in front of its `meta`.
    private static let maxBytes = 4096

    /// The charset that a text names; nil where none is named, or an unknown one.
    static func declared(in html: [UInt8]) -> Charset? {
        var scan = Scan(bytes: Array(html.prefix(maxBytes)))
        guard let named = scan.run(), let charset = Charset(name: named) else { return nil }
        switch charset {
        // The bytes that say so would not be readable in it.
        case .iconv(let name, false) where name.hasPrefix("UTF-16") || name.hasPrefix("UTF-32"): return .utf8
        // Refused by browsers, since it hides markup.
        case .iconv("UTF-7", _): return nil
        default: return charset
        }
    }

    private struct Scan {
        let bytes: [UInt8]
        var index = 0

        mutating func run() -> [UInt8]? {
            if has("<?xml"), let named = xmlEncoding() { return named }
            while index < bytes.count {
                guard bytes[index] == .lessThan else {
                    index += 1
                    continue
                }
                if has("<!--") {
                    skipComment()
                } else if has("<meta"), isEndOfName(at: index + 5) {
                    index += 5
                    if let named = metaCharset() { return named }
                } else if isTag(at: index) {
                    while index < bytes.count, !ASCII.isSpace(bytes[index]), bytes[index] != .greaterThan { index += 1 }
                    while attribute() != nil {}
                } else if has("<!") || has("</") || has("<?") {
                    skip(behind: .greaterThan)
                } else {
                    index += 1
                }
            }
            return nil
        }

        private func has(_ word: StaticString) -> Bool {
            let count = word.utf8CodeUnitCount
            guard index + count <= bytes.count else { return false }
            return (0..<count).allSatisfy { ASCII.lowercased(bytes[index + $0]) == word.utf8Start[$0] }
        }

        private func isEndOfName(at position: Int) -> Bool {
            position < bytes.count && (ASCII.isSpace(bytes[position]) || bytes[position] == .slash)
        }

        private func isTag(at position: Int) -> Bool {
            var next = position + 1
            if next < bytes.count, bytes[next] == .slash { next += 1 }
            return next < bytes.count && ASCII.isLetter(bytes[next])
        }

        private mutating func skip(behind byte: UInt8) {
            index = bytes[index...].firstIndex(of: byte).map { $0 + 1 } ?? bytes.count
        }

        /// The dashes of the beginning may be those of the end: `<!-->`.
        private mutating func skipComment() {
            let end = ASCII.firstIndex(of: Array("-->".utf8), in: bytes, from: index + 2)
            index = end.map { $0 + 3 } ?? bytes.count
        }

        private mutating func metaCharset() -> [UInt8]? {
            var (isPragma, needsPragma): (Bool, Bool?) = (false, nil)
            var (found, seen): ([UInt8]?, Set<String>) = (nil, [])
            while let (name, value) = attribute() {
                guard seen.insert(name).inserted else { continue }
                switch name {
                case "http-equiv": isPragma = isPragma || ASCII.lowercased(value) == "content-type"
                case "content":
                    if found == nil, let named = Self.charset(inContent: value) { (found, needsPragma) = (named, true) }
                case "charset": (found, needsPragma) = (value, false)
                default: break
                }
            }
            guard let needsPragma, !needsPragma || isPragma else { return nil }
            return found
        }

        /// The next attribute of a tag, its name in lower case; nil at the end of the tag.
        private mutating func attribute() -> (name: String, value: [UInt8])? {
            while index < bytes.count, ASCII.isSpace(bytes[index]) || bytes[index] == .slash { index += 1 }
            guard index < bytes.count, bytes[index] != .greaterThan else { return nil }
            let nameStart = index
            while index < bytes.count, !ASCII.isSpace(bytes[index]), bytes[index] != .slash,
                bytes[index] != .greaterThan, bytes[index] != .equals || index == nameStart
            { index += 1 }
            let name = ASCII.lowercased(bytes[nameStart..<index])
            while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
            guard index < bytes.count, bytes[index] == .equals else { return (name, []) }
            index += 1
            while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
            guard index < bytes.count else { return nil }
            if bytes[index] == .quote || bytes[index] == .apostrophe {
                let start = index + 1
                guard let end = bytes[start...].firstIndex(of: bytes[index]) else {
                    index = bytes.count
                    return nil
                }
                index = end + 1
                return (name, Array(bytes[start..<end]))
            }
            let start = index
            while index < bytes.count, !ASCII.isSpace(bytes[index]), bytes[index] != .greaterThan { index += 1 }
            return (name, Array(bytes[start..<index]))
        }

        /// `text/html; charset=x` of a `meta` (WHATWG HTML §2.4.4).
        private static func charset(inContent value: [UInt8]) -> [UInt8]? {
            let (lower, word) = (Array(ASCII.lowercased(value).utf8), Array("charset".utf8))
            var start = 0
            while let found = ASCII.firstIndex(of: word, in: lower, from: start) {
                start = found + word.count
                var rest = value[start...].drop(while: ASCII.isSpace)
                guard rest.first == .equals else { continue }
                rest = rest.dropFirst().drop(while: ASCII.isSpace)
                guard let first = rest.first else { return nil }
                guard first == .quote || first == .apostrophe else {
                    return Array(rest.prefix { !ASCII.isSpace($0) && $0 != .semicolon })
                }
                return rest.dropFirst().firstIndex(of: first).map { Array(rest.dropFirst()[..<$0]) }
            }
            return nil
        }

        /// `encoding` of `<?xml … ?>` (XML 1.0 §2.8).
        private func xmlEncoding() -> [UInt8]? {
            let end = bytes.firstIndex(of: .greaterThan) ?? bytes.count
            guard let found = ASCII.firstIndex(of: Array("encoding".utf8), in: bytes), found < end else { return nil }
            var rest = bytes[(found + 8)..<end].drop(while: ASCII.isSpace)
            guard rest.first == .equals else { return nil }
            rest = rest.dropFirst().drop(while: ASCII.isSpace)
            guard let quote = rest.first, quote == .quote || quote == .apostrophe else { return nil }
            return rest.dropFirst().firstIndex(of: quote).map { Array(rest.dropFirst()[..<$0]) }
        }
    }
}
