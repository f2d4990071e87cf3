// The characters of names (NCName, Namespaces in XML 1.0 §3) that all readers accept. The fourth edition of XML 1.0
// (Appendix B) lists letters of Unicode 2.0, which readers such as expat still follow; the fifth allows nearly all
// characters, U+200D included. One property with a name that some readers refuse makes a whole listing unreadable for
// them, so names consist of letters that both editions allow, of the larger blocks and without compatibility letters.
extension MarkupName {
    static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x80
            ? scalar.properties.isAlphabetic || scalar == "_"
            : letters.contains { $0.contains(scalar.value) }
    }

    /// Whether it may follow the first character, besides those of `isStart`.
    static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "-", ".", "0"..."9", "\u{B7}", "\u{300}"..."\u{345}": true
        default: false
        }
    }

    /// Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Devanagari, Thai, Georgian, kana, bopomofo, Han and Hangul.
    private static let letters: [ClosedRange<UInt32>] = [
        0xC0...0xD6, 0xD8...0xF6, 0xF8...0x131, 0x134...0x13E, 0x141...0x148, 0x14A...0x17E, 0x180...0x1C3,
        0x1CD...0x1F0,
        0x1FA...0x217, 0x250...0x2A8, 0x388...0x38A, 0x38E...0x3A1, 0x3A3...0x3CE, 0x401...0x40C, 0x40E...0x44F,
        0x451...0x45C, 0x45E...0x481, 0x490...0x4C4, 0x4D0...0x4EB, 0x531...0x556, 0x561...0x586, 0x5D0...0x5EA,
        0x621...0x63A, 0x641...0x64A, 0x671...0x6B7, 0x905...0x939, 0xE01...0xE2E, 0x10D0...0x10F6, 0x1E00...0x1E9B,
        0x1EA0...0x1EF9, 0x3041...0x3094, 0x30A1...0x30FA, 0x3105...0x312C, 0x4E00...0x9FA5, 0xAC00...0xD7A3,
    ]
}
