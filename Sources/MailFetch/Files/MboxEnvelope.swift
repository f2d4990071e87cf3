import FundCore

/// The line that stands before each message of an mbox file: `From `, an address, a date (RFC 4155 appendix A).
struct MboxEnvelope {
    static let mark = Array("From ".utf8)

    private let words: [ArraySlice<UInt8>]

    /// Whether a sender stands in it: an address, `MAILER-DAEMON` for none, or the `-` of Mozilla's programs.
    var hasAddress: Bool {
        guard let first = words.first else { return false }
        return first.elementsEqual("-".utf8) || ASCII.lowercased(first) == "mailer-daemon"
            || words.prefix(Self.maxAddressWords).contains { $0.contains(.at) }
    }

    /// An address with quoted blanks is several words.
    private static let maxAddressWords = 4

    init(_ line: [UInt8]) {
        var words = line.dropFirst(Self.mark.count).split { $0 == .space || $0 == .tab || $0 == .cr }
        // `remote from HOST` of UUCP (RFC 976 §2.4).
        if words.count > 3, words[words.count - 3].elementsEqual("remote".utf8) { words.removeLast(3) }
        self.words = words
    }

    /// Whether a date and nothing else stands behind the address, which may be empty: a day, a time of day, a year, and
    /// beside them only names of days and months, zones, and numbers. `From 09:30 to 12:00` is text.
    var hasDate: Bool {
        // An address with quoted blanks is several words; the date then begins at the name of a day.
        let isDay = { (word: ArraySlice<UInt8>) in Self.days.contains(Self.name(word)) }
        let start = words.firstIndex(where: isDay) ?? 1
        guard start <= 1 || words[..<start].contains(where: { $0.contains(.at) }) else { return false }
        let date = words.dropFirst(start)
        guard !date.isEmpty, date.count <= Self.maxDateWords else { return false }
        return Self.isDate(Array(date))
    }

    /// Whether it is no text: an address and a date stand in it.
    var isCertain: Bool { hasDate && hasAddress }

    /// Whether it has as many words as another, and a time of day where that has one.
    func isLike(_ other: MboxEnvelope) -> Bool {
        words.count == other.words.count
            && words.contains(where: Self.isTime) == other.words.contains(where: Self.isTime)
    }

    /// `Mon, 10 Nov 2025 09:12:33 +0100 (CET)` has seven.
    private static let maxDateWords = 8
    private static let days: Set<String> = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let months: Set<String> = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func name(_ word: ArraySlice<UInt8>) -> String {
        ASCII.lowercased(word.last == .comma ? word.dropLast() : word)
    }

    private static func isDate(_ words: [ArraySlice<UInt8>]) -> Bool {
        guard words.count(where: isTime) == 1, words.contains(where: hasYear) else { return false }
        // asctime(3) in another language: its first two words are names.
        let isForeign = words.count >= 5 && words[..<2].allSatisfy(isForeignName) && isNumber(words[2])
        return words.enumerated().allSatisfy { index, word in
            isTime(word) || hasYear(word) || isNumber(word) || isZone(word) || days.contains(name(word))
                || months.contains(name(word)) || isForeign && index < 2
        }
    }

    /// Whether a word is `hh:mm` or `hh:mm:ss`, also of an ISO 8601 date with its offset.
    private static func isTime(_ word: ArraySlice<UInt8>) -> Bool {
        let dateEnd = word.firstIndex(of: UInt8(ascii: "T"))
        let time = dateEnd.map { end in word[(end + 1)...].prefix { ASCII.isDigit($0) || $0 == .colon } } ?? word
        let numbers = time.split(separator: .colon, omittingEmptySubsequences: false)
        return (2...3).contains(numbers.count) && (1...2).contains(numbers[0].count)
            && numbers.dropFirst().allSatisfy { $0.count == 2 } && numbers.allSatisfy { $0.allSatisfy(ASCII.isDigit) }
    }

    /// Whether a word has four digits that are a year of mail, alone or in a date of numbers: `2025`, `2025-11-10`,
    /// `10.11.2025`.
    private static func hasYear(_ word: ArraySlice<UInt8>) -> Bool {
        let date = word.firstIndex(of: UInt8(ascii: "T")).map { word[..<$0] } ?? word
        let parts = date.split { $0 == .hyphen || $0 == .slash || $0 == .dot }
        guard parts.allSatisfy({ $0.allSatisfy(ASCII.isDigit) && $0.count <= 4 }) else { return false }
        return parts.contains { $0.count == 4 && (ASCII.number($0).map { (1970...2199).contains($0) } ?? false) }
    }

    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        let digits = word.last == .comma || word.last == .dot ? word.dropLast() : word
        return (1...2).contains(digits.count) && digits.allSatisfy(ASCII.isDigit)
    }

    /// Whether a word is a zone: `+0100`, `CET`, `(CET)`, `GMT+1`.
    private static func isZone(_ word: ArraySlice<UInt8>) -> Bool {
        let inner = word.filter { $0 != .openParenthesis && $0 != .closeParenthesis }
        let letters = inner.prefix(while: ASCII.isUppercase)
        let rest = inner[letters.endIndex...]
        guard letters.count <= 5, !inner.isEmpty else { return false }
        return rest.isEmpty
            || (rest.first == .plus || rest.first == .hyphen) && (1...4).contains(rest.count - 1)
                && rest.dropFirst().allSatisfy(ASCII.isDigit)
    }

    /// Whether a word may be a name in another language: `Mo`, `lun.`, `März`, also in other charsets.
    private static func isForeignName(_ word: ArraySlice<UInt8>) -> Bool {
        let name = word.last == .dot || word.last == .comma ? word.dropLast() : word
        return (2...12).contains(name.count) && name.allSatisfy { ASCII.isLetter($0) || $0 >= 0x80 }
    }
}
