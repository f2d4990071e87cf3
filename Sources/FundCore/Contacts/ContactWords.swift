/// Words of contacts, and how words that a person types are looked for among them.
package enum ContactWords {
    /// The words of some texts as one text: folded (NFKC, case), each behind a space.
    package static func text(of texts: some Sequence<String>) -> String {
        texts.reduce(into: "") { result, text in
            for word in words(of: text) { result += " " + word }
        }
    }

    /// The words of a card by which it is found.
    package static func text(of card: ContactCard) -> String {
        text(
            of: [card.name, card.organisation, card.department, card.title] + card.addresses.map(\.value)
                + card.groups + card.phones.map { $0.value.filter { $0.isNumber || $0 == "+" } })
    }

    /// Words that are typed: more than these are ignored.
    private static let maxTyped = 8

    /// The bytes to look for in such a text, for each typed word: its beginning stands behind a space. Characters of
    /// scripts without spaces may stand within a word.
    package static func needles(of typed: String) -> [String] {
        words(of: typed.prefix(bytes: 256)).prefix(maxTyped).map { word in
            word.unicodeScalars.first.map(hasNoSpaces) == true ? word : " " + word
        }
    }

    /// Words of letters and digits; `ann@corp.example` is three.
    private static func words(of text: String) -> [String] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.utf8.split { !ASCII.isAlphanumeric($0) && $0 != UInt8(ascii: "+") }.map { ASCII.lowercased($0) }
        }
        let folded = text.nfkc.caseFolded
        return folded.unicodeScalars.split { !$0.isLetterOrDigit && $0 != "+" && !isMark($0) }.map { String($0) }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Han characters, kana, hangul and Thai.
    private static func hasNoSpaces(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xE00..<0xE80, 0x1100..<0x1200, 0x3040..<0x3100, 0x3400..<0xA000, 0xAC00..<0xD7B0, 0x20000..<0x32000: true
        default: false
        }
    }

    /// The key by which lists order names.
    package static func key(of name: String) -> String { name.nfkc.caseFolded.prefix(bytes: 128) }

    /// The letter under which a name stands in lists: `A` to `Z`, or `#`.
    package static func initial(ofKey key: String) -> Character {
        guard let first = key.nfd.utf8.first, ASCII.isLowercase(first) else { return "#" }
        return Character(Unicode.Scalar(first)).uppercased().first ?? "#"
    }
}
