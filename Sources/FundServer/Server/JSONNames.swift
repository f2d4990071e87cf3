/// The names of fields in JSON that a client sent (RFC 8259 §7). Reading it puts them into a hash table, and to hash a text Swift
/// normalises it, in time that is quadratic for long runs of combining marks: a name of 16 KB took a tenth of a second.
enum JSONNames {
    /// As it is written, with escapes of twelve bytes for a character. Ours have at most 30.
    static let maxBytes = 1024

    /// Whether every name is short. What is no JSON is for others to find.
    static func areShort(_ json: some Sequence<UInt8>) -> Bool {
        var (isInside, isEscaped, length, isLong) = (false, false, 0, false)
        for byte in json {
            if isInside {
                length += 1
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInside = false
                    isLong = length - 1 > maxBytes
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): (isInside, length) = (true, 0)
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
            case UInt8(ascii: ":"): if isLong { return false }
            default: isLong = false
            }
        }
        return true
    }
}
