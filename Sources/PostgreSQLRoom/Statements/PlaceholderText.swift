internal import FundCore

/// A statement with numbered placeholders, `$1`, made of one with `?` or `?1`, which SQLite numbers alike
/// (https://www.sqlite.org/lang_expr.html#varparam). Text between quotes and comments stays as it is.
///
/// The server finds the type of NULL in what stands around its first placeholder, and IS NULL says nothing. So where an
/// argument is NULL, `?1 IS NULL` is `true` in the text.
struct PlaceholderText: Sendable {
    private(set) var sql = ""
    /// Number of arguments.
    private(set) var count = 0
    /// Types that NULL gets as an argument where nothing around a placeholder says one, by the argument's number.
    private(set) var typesOfNull: [Int: PostgreSQLType] = [:]
    /// Numbers of the arguments that the text compares with NULL.
    private(set) var nullTested: Set<Int> = []

    /// - Parameter nulls: numbers of arguments that are NULL and that the text compares with it.
    init(_ text: String, nulls: Set<Int> = []) {
        var used: Set<Int> = []
        let bytes = Array(text.utf8)
        var written: [UInt8] = []
        written.reserveCapacity(bytes.count + 16)
        var index = 0
        while index < bytes.count {
            let end = Self.endOfQuoted(bytes, from: index)
            if end > index {
                written += bytes[index..<end]
                index = end
            } else if bytes[index] == UInt8(ascii: "?") {
                let isArray = Self.hasSuffix(written, "unnest(")
                index += 1
                let number = number(bytes, &index)
                if let test = Self.nullTest(bytes, from: index) {
                    nullTested.insert(number)
                    if nulls.contains(number) {
                        written += (test.isNegated ? "false" : "true").utf8
                        index = test.end
                        continue
                    }
                }
                written += "$\(number)".utf8
                used.insert(number)
                if isArray { typesOfNull[number] = .int8Array }
            } else {
                written.append(bytes[index])
                index += 1
            }
        }
        sql = String(decoding: written, as: UTF8.self)
        // An argument that stands nowhere in the text needs a type all the same.
        for number in 0..<count where !used.contains(number + 1) { typesOfNull[number + 1] = .text }
    }

    /// The number of a placeholder, whose digits may follow: the one after the highest where there are none.
    private mutating func number(_ bytes: [UInt8], _ index: inout Int) -> Int {
        let start = index
        while index < bytes.count, ASCII.isDigit(bytes[index]) { index += 1 }
        let number = Int(String(decoding: bytes[start..<index], as: UTF8.self)) ?? count + 1
        count = max(count, number)
        return number
    }

    /// Where a quoted text, a quoted name or a comment ends that begins at `index`; `index` where none does. A doubled
    /// quote begins the next quoted part at once.
    private static func endOfQuoted(_ bytes: [UInt8], from index: Int) -> Int {
        let byte = bytes[index]
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
            return bytes[(index + 1)...].firstIndex(of: byte).map { $0 + 1 } ?? bytes.count
        }
        let isPair = index + 1 < bytes.count
        if isPair, byte == UInt8(ascii: "-"), bytes[index + 1] == UInt8(ascii: "-") {
            return bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        }
        return index
    }

    private static func hasSuffix(_ bytes: [UInt8], _ suffix: String) -> Bool {
        bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// `IS NULL` or `IS NOT NULL` that follows, with its end; nil where neither does.
    private static func nullTest(_ bytes: [UInt8], from index: Int) -> (isNegated: Bool, end: Int)? {
        guard let verb = end(of: "IS", bytes, from: index) else { return nil }
        let negation = end(of: "NOT", bytes, from: verb)
        return end(of: "NULL", bytes, from: negation ?? verb).map { (negation != nil, $0) }
    }

    /// The end of a word that follows behind white space, in either case; nil for another one.
    private static func end(of word: String, _ bytes: [UInt8], from index: Int) -> Int? {
        let start = bytes[index...].firstIndex { !ASCII.isSpace($0) } ?? bytes.count
        let end = bytes[start...].firstIndex { !ASCII.isLetter($0) } ?? bytes.count
        return String(decoding: bytes[start..<end], as: UTF8.self).uppercased() == word ? end : nil
    }
}
