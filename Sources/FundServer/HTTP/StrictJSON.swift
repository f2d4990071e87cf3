internal import Foundation
internal import FundCore

/// Refuses what `JSONDecoder` accepts although two readers would understand it differently (RFC 8259 §4, §6): a name
/// that an object holds twice, of which it takes one, and numbers that it rounds.
enum StrictJSON {
    /// A `Double` holds every whole number up to this one.
    private static let maxExactDouble = 9_007_199_254_740_992.0
    /// Digits of a number that are quoted in a response.
    private static let maxShownDigits = 40

    /// - Parameters:
    ///   - json: what `JSONDecoder` has read without an error.
    ///   - numbers: members of the outermost object that hold whole numbers; nil for all members. Other numbers are not
    ///     read and may be of any size.
    static func check(_ json: [UInt8], numbers: Set<String>? = nil) throws(FieldError) {
        // `JSONDecoder` reads UTF-16 and UTF-32, too, in which every bracket has a zero byte.
        guard !json.contains(0) else { throw .encoding }
        // The names of each open object; nil for an open array.
        var open: [Set<String>?] = []
        var expectsName = false
        /// The member of the outermost object that is being read.
        var member = ""
        var index = 0
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "{"):
                open.append([])
                expectsName = true
            case UInt8(ascii: "["):
                open.append(nil)
                expectsName = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                open.removeLast()
                expectsName = false
            case UInt8(ascii: ","): expectsName = open.last.map { $0 != nil } ?? false
            case UInt8(ascii: "\""):
                let end = self.end(ofString: index, in: json)
                if expectsName {
                    let name = text(json[index..<end])
                    guard open[open.count - 1]?.insert(name).inserted ?? true else { throw .duplicate(name) }
                    if open.count == 1 { member = name }
                    expectsName = false
                }
                index = end
                continue
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let end = json[index...].firstIndex { !isOfNumber($0) } ?? json.count
                let isRead = numbers.map { open.count == 1 && $0.contains(member) } ?? true
                if isRead { try check(number: json[index..<end]) }
                index = end
                continue
            default: break
            }
            index += 1
        }
    }

    private static func check(number digits: ArraySlice<UInt8>) throws(FieldError) {
        let text = String(decoding: digits, as: UTF8.self)
        guard Int64(text) == nil else { return }
        let isWhole = digits.allSatisfy { $0 == UInt8(ascii: "-") || ASCII.isDigit($0) }
        guard !isWhole, let number = Double(text), number.magnitude < maxExactDouble else {
            throw .number(String(text.prefix(maxShownDigits)))
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// The index after the closing quote.
    private static func end(ofString start: Int, in json: [UInt8]) -> Int {
        var index = start + 1
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, json.count)
    }

    /// The string that a quoted text stands for; empty when it cannot be read.
    static func text(_ quoted: ArraySlice<UInt8>) -> String {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        return (try? JSONDecoder().decode(String.self, from: Data(quoted))) ?? ""
    }
}

/// The member names of JSON from clients (RFC 8259 §4). A JSON reader hashes them, and to hash text Swift normalises
/// it, in quadratic time for long runs of combining marks: a name of 16 KB took 0.1 s, a thousand names of 1 KB took 8
/// s.
enum JSONNames {
    /// Of a name as it is written, where an escaped character takes up to twelve bytes. The names of this server have
    /// at most 30 characters.
    static let maxBytes = 1024
    /// Names this short hold no long run.
    private static let maxUnreadBytes = 64

    /// Whether a decoded name is quick to hash.
    static func isHarmless(_ name: String) -> Bool { name.utf8.count <= maxBytes && name.isStreamSafe }

    /// Whether all member names are quick to hash. Syntax errors are left to the JSON reader.
    static func areHarmless(_ json: [UInt8]) -> Bool {
        // UTF-16 and UTF-32, which are refused later, have zeros between the characters looked for here.
        guard !json.contains(0) else { return false }
        var (start, isEscaped, isMixed) = (nil as Int?, false, false)
        /// The last string, which is a name if a colon follows.
        var last: (text: Range<Int>, isMixed: Bool)?
        for (index, byte) in json.enumerated() {
            if let begin = start {
                if byte == UInt8(ascii: "\\") || byte >= 0x80 { isMixed = true }
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    start = nil
                    last = (begin..<(index + 1), isMixed)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): (start, isMixed) = (index, false)
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
            case UInt8(ascii: ":"):
                guard let last else { break }
                let count = last.text.count - 2
                guard count <= maxBytes else { return false }
                if last.isMixed, count > maxUnreadBytes, !StrictJSON.text(json[last.text]).isStreamSafe { return false }
            default: last = nil
            }
        }
        return true
    }
}
