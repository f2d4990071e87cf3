/// How the characters of a text file are written.
package enum TextEncoding: Hashable, Sendable {
    case utf8, utf16Little, utf16Big
    /// None of Unicode's; the name is one of iconv(1).
    case legacy(String)

    /// Nil for what is no text: it has other controls than those of printed text, or bytes that no encoding explains.
    ///
    /// - Parameter isWhole: nothing follows; else a character may be cut off at the end.
    package static func of(_ bytes: [UInt8], isWhole: Bool) -> TextEncoding? {
        if bytes.starts(with: [0xFF, 0xFE]) { return isUTF16(bytes, isLittle: true) ? .utf16Little : nil }
        if bytes.starts(with: [0xFE, 0xFF]) { return isUTF16(bytes, isLittle: false) ? .utf16Big : nil }
        guard !bytes.contains(where: isControl) else { return nil }
        if isUTF8(bytes, isWhole: isWhole) { return .utf8 }
        return LegacyEncoding.guess(bytes).map { .legacy($0) }
    }

    /// Controls that do not stand in text: all but backspace to carriage return, ^Z at the end of files of DOS, and
    /// escape.
    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 8 || (14..<26).contains(byte) || (28..<32).contains(byte) || byte == 127
    }

    private static func isUTF8(_ bytes: [UInt8], isWhole: Bool) -> Bool {
        var slice = bytes[...]
        if !isWhole {
            // A character has at most four bytes; its first one is no continuation.
            for _ in 0..<3 where slice.last.map({ $0 & 0xC0 == 0x80 }) == true { slice.removeLast() }
            if let last = slice.last, last >= 0xC0 { slice.removeLast() }
        }
        return String(validating: slice, as: UTF8.self) != nil
    }

    /// Hardly a zero or a control among its characters.
    private static func isUTF16(_ bytes: [UInt8], isLittle: Bool) -> Bool {
        let starts = stride(from: 2, to: bytes.count - 1, by: 2)
        let wrong = starts.count { index in
            let (low, high) = isLittle ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
            return high == 0 && isControl(low) || high == 0xFF && low >= 0xFE
        }
        return wrong * 100 <= bytes.count / 2
    }

    /// The bytes as UTF-8 without byte order mark, for texts that are taken in whole; nil for what is no text.
    package static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        switch of(bytes, isWhole: true) {
        case .utf8: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        case .utf16Little: utf16(bytes) { UInt16($0) | UInt16($1) << 8 }
        case .utf16Big: utf16(bytes) { UInt16($0) << 8 | UInt16($1) }
        case .legacy(let name): NamedCharset(guessed: name).decoded(bytes)
        case nil: nil
        }
    }

    /// The text behind the byte order mark.
    package static func utf16(_ bytes: [UInt8], _ unit: (UInt8, UInt8) -> UInt16) -> [UInt8] {
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
