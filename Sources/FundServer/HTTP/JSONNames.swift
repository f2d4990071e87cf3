internal import FundCore

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
