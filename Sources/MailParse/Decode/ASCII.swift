/// Rules about single ASCII bytes that more than one reader of mail syntax needs.
enum ASCII {
    static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }

    static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { lowercased($0) }, as: UTF8.self)
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    /// Also what is left of line ends.
    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }

    /// `%41` is `A`; a `%` without two digits behind it stays (RFC 3986 §2.1, forgiving).
    static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (result, index): ([UInt8], Int) = ([], bytes.startIndex)
        while index < bytes.endIndex {
            if bytes[index] == 37, index + 2 < bytes.endIndex, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = bytes
        while let first = slice.first, isSpace(first) { slice.removeFirst() }
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return slice
    }

    /// A decimal number of at most nine digits.
    static func number(_ bytes: some Collection<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 9, bytes.allSatisfy(isDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 48) }
    }
}
