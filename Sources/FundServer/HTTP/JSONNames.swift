internal import FundCore

/// The names of fields in JSON that a client sent (RFC 8259 §7). Reading it puts them into a hash table, and to hash a text Swift
/// normalises it, in time that is quadratic for long runs of combining marks: a name of 16 KB took a tenth of a second, and a
/// thousand names of 1 KB took eight.
enum JSONNames {
    /// As it is written, with escapes of twelve bytes for a character. Ours have at most 30.
    static let maxBytes = 1024
    /// In so few bytes there is no long run.
    private static let maxUnreadBytes = 64

    /// Whether a name that is read already can be hashed quickly.
    static func isHarmless(_ name: String) -> Bool { name.utf8.count <= maxBytes && name.isStreamSafe }

    /// Whether all names can. What is no JSON is for others to find.
    static func areHarmless(_ json: [UInt8]) -> Bool {
        // UTF-16 and UTF-32, which are refused anyway, have zeros between the characters that are looked for here.
        guard !json.contains(0) else { return false }
        var (start, isEscaped, isMixed) = (nil as Int?, false, false)
        /// A text that may turn out to be a name.
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
