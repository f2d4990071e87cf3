internal import Glibc

/// Reads HTML once from its beginning to its end. Nothing is allocated for a tag or a reference: hostile HTML consists
/// of hundreds of thousands of them.
struct VisibleTextScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var output: [UInt8] = []

    /// - Parameter bytes: valid for as long as the scanner is used.
    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func run() -> [UInt8] {
        output.reserveCapacity(bytes.count / 2)
        while position < bytes.count {
            switch bytes[position] {
            case .lessThan: takeMarkup()
            case .ampersand: takeReference()
            case let byte where ASCII.isSpace(byte):
                part()
                position += 1
            default: takeCharacters()
            }
        }
        while let last = output.last, ASCII.isSpace(last) { output.removeLast() }
        return output
    }

    private mutating func takeCharacter() {
        output.append(bytes[position])
        position += 1
    }

    /// Up to the next byte that may be more than a character.
    private mutating func takeCharacters() {
        var end = position + 1
        while end < bytes.count {
            let byte = bytes[end]
            if byte == .lessThan || byte == .ampersand || ASCII.isSpace(byte) { break }
            end += 1
        }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[position..<end]))
        position = end
    }

    /// White space collapses, as browsers show it.
    private mutating func part() {
        if let last = output.last, !ASCII.isSpace(last) { output.append(.space) }
    }

    private mutating func breakLine() {
        if output.last == .space { output.removeLast() }
        guard let last = output.last else { return }
        if last != .lf || output.count < 2 || output[output.count - 2] != .lf { output.append(.lf) }
    }

    // MARK: Markup

    private mutating func takeMarkup() {
        let dashes = position + 2
        if byte(position + 1) == UInt8(ascii: "!"), byte(dashes) == .hyphen, byte(dashes + 1) == .hyphen {
            position = dashes
            return skipComment()
        }
        var start = position + 1
        guard let first = byte(start), Self.beginsMarkup(first) else { return takeCharacter() }
        let isEnd = first == .slash
        if isEnd { start += 1 }
        let name = packedName(at: start)
        skip(past: .greaterThan)
        let kind = ElementKind.kinds[name] ?? .parting
        switch kind {
        case .hidden where !isEnd: skipContent(of: name)
        case .block: breakLine()
        case .inline: break
        case .hidden, .parting: part()
        }
    }

    private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private static func beginsMarkup(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || byte == .slash || byte == UInt8(ascii: "!") || byte == .questionMark
    }

    /// The letters and digits at `start` in lower case; no name for more of them than any known name has.
    private func packedName(at start: Int) -> PackedName {
        var name = PackedName()
        var index = start
        while let next = byte(index), ASCII.isAlphanumeric(next) {
            guard name.append(ASCII.lowercased(next)) else { return PackedName() }
            index += 1
        }
        return name
    }

    /// To the end when it does not come.
    private mutating func skip(past wanted: UInt8) { position = index(of: wanted).map { $0 + 1 } ?? bytes.count }

    /// Index of the next `wanted`.
    private func index(of wanted: UInt8) -> Int? {
        guard position < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + position, Int32(wanted), bytes.count - position)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// From its dashes to behind `-->`, whose dashes may be the same.
    private mutating func skipComment() {
        let first = position
        while let end = index(of: .greaterThan) {
            position = end + 1
            if end >= first + 2, bytes[end - 1] == .hyphen, bytes[end - 2] == .hyphen { return }
        }
        position = bytes.count
    }

    /// To behind the end tag of the element, whose name the tag's may go on from.
    private mutating func skipContent(of name: PackedName) {
        while let start = index(of: .lessThan) {
            position = start + 1
            guard byte(position) == .slash else { continue }
            var (found, index) = (PackedName(), position + 1)
            while found != name, let next = byte(index), found.append(ASCII.lowercased(next)) { index += 1 }
            if found == name { return skip(past: .greaterThan) }
        }
        position = bytes.count
    }

    // MARK: Character references

    /// Text that is no reference stays as it is written.
    private mutating func takeReference() {
        let start = position + 1
        var end = start
        while let next = byte(end), next != .semicolon, end - start < CharacterReference.maxBytes { end += 1 }
        guard byte(end) == .semicolon,
            let scalar = CharacterReference.scalar(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        else { return takeCharacter() }
        output.append(contentsOf: scalar.utf8)
        position = end + 1
    }
}

/// The effect of an element's tags on the text around them.
private enum ElementKind {
    /// An element that is not seen. Not `head`: its end may be left out, and what else is in it has no text.
    case hidden
    case block
    /// An element whose tags do not separate words.
    case inline
    /// All others
    case parting

    static let kinds: [PackedName: ElementKind] = {
        let names: [(ElementKind, String)] = [
            (.hidden, "script style title template"),
            (.block, "br p div tr li ul ol table h1 h2 h3 h4 h5 h6 hr blockquote pre"),
            (.inline, "b i u em strong span font a o sub sup"),
        ]
        var kinds: [PackedName: ElementKind] = [:]
        for (kind, list) in names {
            for name in list.split(separator: " ") { kinds[PackedName(name.utf8)] = kind }
        }
        return kinds
    }()
}

/// Up to 16 bytes that are not 0, as one number: the key of a table that is asked for each tag.
private struct PackedName: Hashable {
    private var value: UInt128 = 0

    init() {}

    /// No name when they do not fit.
    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where !append(byte) {
            value = 0
            return
        }
    }

    /// False for 0, and when there is no room.
    mutating func append(_ byte: UInt8) -> Bool {
        guard byte != .nul, value >> 120 == 0 else { return false }
        value = value << 8 | UInt128(byte)
        return true
    }
}

/// The character references of mail programs (HTML 4 §24), and numeric ones.
private enum CharacterReference {
    /// Between `&` and `;`
    static let maxBytes = 10

    static func scalar(_ name: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        guard name.first == UInt8(ascii: "#") else { return named[PackedName(name)] }
        let isHex = name.count > 1 && name[1] | 0x20 == UInt8(ascii: "x")
        let digits = name.dropFirst(isHex ? 2 : 1)
        let radix: UInt32 = isHex ? 16 : 10
        guard !digits.isEmpty else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            // Nine digits of either kind do not overflow before they are more than a scalar has.
            guard let digit = ASCII.hexValue(digit), digit < radix, value < 0x11_0000 else { return nil }
            value = value * radix + UInt32(digit)
        }
        return value < UInt32(UInt8.space) ? nil : Unicode.Scalar(value)
    }

    private static let named: [PackedName: Unicode.Scalar] = {
        let latin1 = """
            Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH
            Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave
            aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde
            ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
            """
        let symbols: [(String, Unicode.Scalar)] = [
            ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("nbsp", " "), ("ndash", "–"),
            ("mdash", "—"), ("euro", "€"), ("copy", "©"), ("hellip", "…"), ("laquo", "«"), ("raquo", "»"),
        ]
        var result: [PackedName: Unicode.Scalar] = [:]
        for (name, scalar) in symbols { result[PackedName(name.utf8)] = scalar }
        for (offset, name) in latin1.split(whereSeparator: \.isWhitespace).enumerated() {
            result[PackedName(name.utf8)] = Unicode.Scalar(0xC0 + UInt32(offset))
        }
        return result
    }()
}
