internal import FundCore

/// A statement with numbered placeholders, `$1`, made of one with `?` or `?1`, which SQLite numbers alike
/// (https://www.sqlite.org/lang_expr.html#varparam). Text between quotes and comments stays as it is.
struct PlaceholderText: Sendable {
    private(set) var sql = ""
    /// Number of arguments.
    private(set) var count = 0
    /// Types that NULL gets as an argument where nothing around a placeholder says one, by the argument's number.
    private(set) var typesOfNull: [Int: PostgreSQLType] = [:]

    init(_ text: String) {
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
                written += "$\(number)".utf8
                if isArray {
                    typesOfNull[number] = .int8Array
                } else if Self.isNullTest(bytes, from: index) {
                    typesOfNull[number] = .text
                }
            } else {
                written.append(bytes[index])
                index += 1
            }
        }
        sql = String(decoding: written, as: UTF8.self)
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

    /// Whether `IS NULL` or `IS NOT NULL` follows, which say nothing of a type.
    private static func isNullTest(_ bytes: [UInt8], from index: Int) -> Bool {
        let rest = bytes[index...].prefix(20).map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
        let words = String(decoding: rest, as: UTF8.self).uppercased().split(separator: " ")
        guard words.first == "IS" else { return false }
        let next = words.dropFirst().first == "NOT" ? words.dropFirst(2).first : words.dropFirst().first
        return next?.hasPrefix("NULL") ?? false
    }
}
