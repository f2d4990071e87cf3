/// Questions about bytes of ASCII: classes, cases, digits, and the place of a word.
///
/// `public` and `@inlinable` where a loop calls it for each byte, as the constants of `UInt8` are.
public enum ASCII {
    /// `byte` in lower case; what is no capital letter stays.
    @inlinable public static func lowercased(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }

    /// `bytes` as text in lower case. Only A to Z change; invalid UTF-8 becomes U+FFFD.
    @inlinable public static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { lowercased($0) }, as: UTF8.self)
    }

    /// Space or tab: `WSP` of RFC 5234.
    @inlinable public static func isBlank(_ byte: UInt8) -> Bool { byte == .space || byte == .tab }

    /// Space, tab, and what is left of line ends: LF, VT, FF, CR.
    @inlinable public static func isSpace(_ byte: UInt8) -> Bool {
        byte == .space || (UInt8.tab...UInt8.cr).contains(byte)
    }

    /// `0` to `9`
    @inlinable public static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// `A` to `Z`
    @inlinable public static func isUppercase(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// `a` to `z`
    @inlinable public static func isLowercase(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// A letter in either case
    @inlinable public static func isLetter(_ byte: UInt8) -> Bool { isLowercase(byte | 0x20) }

    /// A letter or a digit
    @inlinable public static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// `!` to `~`: `VCHAR` of RFC 5234.
    @inlinable public static func isVisible(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "!")...UInt8(ascii: "~")).contains(byte)
    }

    /// The value of a hexadecimal digit in either case; nil for any other byte.
    @inlinable public static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The number that one to nine decimal digits say; nil for anything else.
    package static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// `bytes` without the white space (`isSpace`) at both ends.
    package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = bytes.drop(while: isSpace)
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return slice
    }

    /// Index of the first `needle`, which is not empty, in `bytes` at `start` or behind it.
    package static func firstIndex(of needle: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
        var index = start
        while index + needle.count <= bytes.count {
            if bytes[index] == needle[0], bytes[index..<(index + needle.count)].elementsEqual(needle) { return index }
            index += 1
        }
        return nil
    }
}
