internal import CLinux
internal import FundCore

/// A template of a page, read once, in a part of Mustache (https://mustache.github.io/mustache.5.html): `{{name}}`,
/// `{{.}}`, `{{#name}}`, `{{^name}}`, `{{/name}}`, `{{> template}}`, and `{{t.key_part}}` for the words of the table in
/// the reader's language. A tag that is no value and stands alone takes its line with it.
/// A value that is missing fails the page: the address of a form that lacks a number looks like another one.
///
/// No library: the one for Swift asks each value for a dozen protocols at each tag, and a hundred rows took it four
/// times as long as all else that a page needs. Nothing is written without being escaped: there is no tag for it.
struct PageTemplate: Sendable {
    private indirect enum Piece {
        case bytes([UInt8])
        /// Escaped, one for each language in the order of the table.
        case words([[UInt8]])
        case value(String)
        case section(String, [Piece])
        case inverted(String, [Piece])
    }

    private let name: String
    private let pieces: [Piece]

    /// Throws `PageTemplateError`.
    /// - Parameter sources: all templates by name, for those that this one includes.
    init(named name: String, of sources: [String: [UInt8]]) throws {
        var reader = try Reader(sources: sources, including: [], name)
        pieces = try reader.pieces(until: nil)
        self.name = name
    }

    // MARK: Reading

    private struct Reader {
        private let sources: [String: [UInt8]]
        private let name: String
        /// Names of the templates that include this one: none may include itself.
        private let outer: [String]
        private var rest: ArraySlice<UInt8>
        /// Whether nothing stands between the last line end and `rest`.
        private var isLineStart = true

        init(sources: [String: [UInt8]], including outer: [String], _ name: String) throws {
            guard let source = sources[name], !outer.contains(name) else {
                throw PageTemplateError(template: name, tag: ">")
            }
            (self.sources, self.name, self.outer, rest) = (sources, name, outer, source[...])
        }

        /// Up to the end of the section that is open, or of the template.
        mutating func pieces(until section: String?) throws -> [Piece] {
            var pieces: [Piece] = []
            while let open = rest.firstPlace(of: "{{") {
                var text = rest[..<open.lowerBound]
                guard let close = rest[open.upperBound...].firstPlace(of: "}}") else { throw error("{{") }
                let tag = String(decoding: rest[open.upperBound..<close.lowerBound], as: UTF8.self)
                rest = rest[close.upperBound...]
                let sigil = tag.first.flatMap { "#^/>".contains($0) ? $0 : nil }
                if sigil == nil { isLineStart = false } else { takeLine(around: &text) }
                if !text.isEmpty { pieces.append(.bytes(Array(text))) }
                let word = String(tag.dropFirst(sigil == nil ? 0 : 1).drop { $0 == " " })
                switch sigil {
                case "#": pieces.append(.section(word, try self.pieces(until: word)))
                case "^": pieces.append(.inverted(word, try self.pieces(until: word)))
                case "/":
                    guard word == section else { throw error(tag) }
                    return pieces
                case ">":
                    var reader = try Reader(sources: sources, including: outer + [name], word)
                    pieces += try reader.pieces(until: nil)
                default: pieces.append(try value(word))
                }
            }
            guard section == nil else { throw error("#\(section ?? "")") }
            if !rest.isEmpty { pieces.append(.bytes(Array(rest))) }
            return pieces
        }

        /// Takes the blanks before a tag and the line end behind it, if it stands alone.
        private mutating func takeLine(around text: inout ArraySlice<UInt8>) {
            let end = text.lastIndex { $0 != UInt8(ascii: " ") }
            let startsLine = end.map { text[$0] == UInt8(ascii: "\n") } ?? isLineStart
            guard startsLine, rest.isEmpty || rest.first == UInt8(ascii: "\n") else {
                isLineStart = false
                return
            }
            text = text[..<(end.map { $0 + 1 } ?? text.startIndex)]
            rest = rest.dropFirst()
            isLineStart = true
        }

        private func value(_ word: String) throws -> Piece {
            guard word.hasPrefix("t.") else {
                guard word == "." || !word.isEmpty && word.utf8.allSatisfy(ASCII.isAlphanumeric) else {
                    throw error(word)
                }
                return .value(word)
            }
            guard let texts = Words.table[String(word.dropFirst(2)).replacing("_", with: ".")],
                texts.count >= Language.allCases.count
            else {
                throw error(word)
            }
            return .words(texts.map { $0.escapedMarkup })
        }

        private func error(_ tag: String) -> PageTemplateError { PageTemplateError(template: name, tag: tag) }
    }

    // MARK: Writing

    /// Throws `PageTemplateError` where the model lacks a value.
    /// - Returns: UTF-8
    func render(_ model: PageModel, in language: Language) throws(PageTemplateError) -> [UInt8] {
        var writer = Writer(language: language, stack: [model])
        writer.bytes.reserveCapacity(64 << 10)
        writer.write(pieces)
        if let missing = writer.missing { throw PageTemplateError(template: name, tag: missing) }
        return writer.bytes
    }

    private struct Writer {
        let language: Language
        /// The innermost last: a name is looked up there first, and beyond a model that is apart not at all.
        var stack: [PageModel]
        var bytes: [UInt8] = []
        /// The first value that the model lacks; nil for none.
        var missing: String?

        private func value(_ name: String) -> PageValue? {
            for model in stack.reversed() {
                if let value = model.value(name) { return value }
                if model.isApart { return nil }
            }
            return nil
        }

        mutating func write(_ pieces: [Piece]) {
            for piece in pieces {
                switch piece {
                case .bytes(let text): bytes += text
                case .words(let texts): bytes += texts[language.column]
                case .value(let name):
                    guard case .text(let text) = value(name) else {
                        missing = missing ?? name
                        continue
                    }
                    bytes.appendEscaped(text)
                case .section(let name, let inner): write(inner, for: value(name))
                case .inverted(let name, let inner): if Self.isFalse(value(name)) { write(inner) }
                }
            }
        }

        private static func isFalse(_ value: PageValue?) -> Bool {
            switch value {
            case nil, .flag(false): true
            case .list(let items): items.isEmpty
            case .text, .flag, .model: false
            }
        }

        private mutating func write(_ pieces: [Piece], for value: PageValue?) {
            switch value {
            case nil, .flag(false): break
            case .flag(true): write(pieces)
            case .text(let text): write(pieces, within: [".": text])
            case .model(let model): write(pieces, within: model)
            case .list(let items): for item in items { write(pieces, for: item) }
            }
        }

        private mutating func write(_ pieces: [Piece], within model: PageModel) {
            stack.append(model)
            write(pieces)
            stack.removeLast()
        }
    }
}

extension ArraySlice<UInt8> {
    /// The first place of `braces` (memmem(3)): the library's search takes a debug build half a second for all
    /// templates.
    fileprivate func firstPlace(of braces: StaticString) -> Range<Int>? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = memmem(start, bytes.count, braces.utf8Start, braces.utf8CodeUnitCount)
            else { return nil }
            let place = startIndex + (UnsafeRawPointer(found) - start)
            return place..<(place + braces.utf8CodeUnitCount)
        }
    }
}

/// A part of a template that cannot be read, or for which a page has no value.
struct PageTemplateError: Error, CustomStringConvertible {
    /// Name of the template; of one that others include, where a value is missing, the name of the outermost.
    var template: String
    /// The text between its braces.
    var tag: String

    var description: String { "the template \(template) has no value or no meaning for \(tag)" }
}
