internal import FundCore

/// Text of mail and of people within a letter.
enum LetterLine {
    /// Bytes of a subject or a name in a letter: what a person writes is shorter.
    private static let maxBytes = 240
    /// Combining marks on one letter; no language in use has more.
    private static let maxMarks = 4

    /// One line that cannot pass for another part of the letter: no line ends, no controls, nothing that turns the
    /// direction of writing or cannot be seen, no towers of marks, and cut where it is long.
    static func of(_ text: String) -> String {
        // Beyond that nothing is left of it anyway, and hostile text may be long.
        let label = text.prefix(bytes: 16 * maxBytes).label
        var (result, marks) = (String.UnicodeScalarView(), 0)
        for scalar in label.unicodeScalars {
            if scalar.value >= 0x80 {
                // Emoji are joined by the one, and coloured by the other.
                let isOfEmoji = scalar == "\u{200D}" || scalar == "\u{FE0F}"
                if scalar.properties.isDefaultIgnorableCodePoint, !isOfEmoji { continue }
                marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
                if marks > maxMarks { continue }
            } else {
                marks = 0
            }
            result.append(scalar)
        }
        let line = String(result).trimmed
        return line.utf8.count > maxBytes ? line.prefix(bytes: maxBytes).trimmed + "…" : line
    }

    /// The line as a name; nil where nothing of it is left.
    static func name(_ text: String) -> String? {
        let line = of(text)
        return line.isEmpty ? nil : line
    }

    /// The line within a letter that did not come about by the mail of its reader: mail programs make no link of an
    /// address in it, which would look like one of this program. A space parts what they look for: a scheme, a `www.`,
    /// and the `@` of an address.
    static func unlinked(_ text: String) -> String {
        var result = isolated(text).replacing(scalar: "@", with: " @ ").replacing(scalar: ":", with: ": ")
        for word in ["www.", "WWW.", "Www."] { result = result.replacing(word, with: "\(word.dropLast()) .") }
        return result
    }

    /// The line within a sentence: text that is written from right to left does not move what stands around it (UAX #9
    /// §2.5).
    static func isolated(_ text: String) -> String {
        let line = of(text)
        let isRightToLeft = line.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
            default: false
            }
        }
        return isRightToLeft ? "\u{2068}\(line)\u{2069}" : line
    }
}
