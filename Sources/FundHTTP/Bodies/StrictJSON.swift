internal import Foundation
internal import FundCore

/// Refuses what `JSONDecoder` accepts although two readers would understand it differently (RFC 8259 §4, §6): a name
/// that an object holds twice, of which it takes one, and numbers that it rounds.
package enum StrictJSON {
    /// A `Double` holds every whole number up to this one.
    private static let maxExactDouble = 9_007_199_254_740_992.0
    /// Digits of a number that are quoted in a response.
    private static let maxShownDigits = 40

    /// - Parameters:
    ///   - json: what `JSONDecoder` has read without an error.
    ///   - numbers: members of the outermost object that hold whole numbers; nil for all members. Other numbers are not
    ///     read and may be of any size.
    package static func check(_ json: [UInt8], numbers: Set<String>? = nil) throws(FieldError) {
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
            case .comma: expectsName = open.last.map { $0 != nil } ?? false
            case .quote:
                let end = self.end(ofString: index, in: json)
                if expectsName {
                    let name = text(json[index..<end])
                    guard open[open.count - 1]?.insert(name).inserted ?? true else { throw .duplicate(name) }
                    if open.count == 1 { member = name }
                    expectsName = false
                }
                index = end
                continue
            case .hyphen, UInt8(ascii: "0")...UInt8(ascii: "9"):
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
        let isWhole = digits.allSatisfy { $0 == .hyphen || ASCII.isDigit($0) }
        guard !isWhole, let number = Double(text), number.magnitude < maxExactDouble else {
            throw .number(String(text.prefix(maxShownDigits)))
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool { "0123456789-+.eE".utf8.contains(byte) }

    /// The index after the closing quote.
    fileprivate static func end(ofString start: Int, in json: [UInt8]) -> Int {
        var index = start + 1
        while index < json.count, json[index] != .quote {
            index += json[index] == .backslash ? 2 : 1
        }
        return min(index + 1, json.count)
    }

    /// The string that a quoted text stands for; empty when it cannot be read.
    package static func text(_ quoted: ArraySlice<UInt8>) -> String {
        guard quoted.contains(.backslash) else { return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self) }
        return (try? JSONDecoder().decode(String.self, from: Data(quoted))) ?? ""
    }
}

/// The member names of JSON from clients (RFC 8259 §4). A reader hashes them, for which Swift normalises text, in
/// quadratic time for long runs of combining marks: a name of 16 KB took 0.1 s, a thousand names of 1 KB 8 s.
package enum JSONNames {
    /// Bytes of a name as it is written; an escaped character takes up to twelve. This server's names have at most 30.
    package static let maxBytes = 1024
    /// Names this short hold no long run.
    private static let maxUnreadBytes = 64

    /// Whether a decoded name is quick to hash.
    package static func isHarmless(_ name: String) -> Bool { name.utf8.count <= maxBytes && name.isStreamSafe }

    /// Whether all member names are quick to hash. Syntax errors are left to the JSON reader.
    package static func areHarmless(_ json: [UInt8]) -> Bool {
        // UTF-16 and UTF-32, which are refused later, have zeros between the characters looked for here.
        guard !json.contains(0) else { return false }
        /// The last string, with its quotes, which is a name if a colon follows.
        var last: Range<Int>?
        var index = 0
        while index < json.count {
            switch json[index] {
            case .quote:
                let end = StrictJSON.end(ofString: index, in: json)
                last = index..<end
                index = end
                continue
            case .space, .tab, .cr, .lf: break
            case .colon:
                if let last, last.count - 2 > maxUnreadBytes {
                    guard last.count - 2 <= maxBytes, StrictJSON.text(json[last]).isStreamSafe else { return false }
                }
            default: last = nil
            }
            index += 1
        }
        return true
    }
}
