/// Text from mail and from servers, made fit for a terminal.
package enum TerminalText {
    /// One line without controls and without what is invisible or turns the direction of writing (UAX #9 §2), so that a
    /// name can neither command the terminal nor show itself as something else.
    package static func clean(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.value {
            case 0x09...0x0D, 0x85, 0x2028, 0x2029: result.unicodeScalars.append(" ")
            case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF,
                0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
                break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Several lines, such as those of a mail, each made clean; line ends stay.
    package static func cleanLines(_ text: String) -> String {
        let text = text.replacing("\r\n", with: "\n")
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { clean(String($0)) }
            .joined(separator: "\n")
    }

    /// Columns that a terminal gives the text (UAX #11: wide and full-width characters take two).
    package static func width(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 128 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width($1) }
    }

    /// At most `columns` wide, with `…` where something was cut off.
    package static func truncate(_ text: String, to columns: Int) -> String {
        guard columns > 0, width(text) > columns else { return columns > 0 ? text : "" }
        var result = ""
        var used = 0
        for character in text {
            let width = width(character)
            guard used + width <= columns - 1 else { break }
            result.append(character)
            used += width
        }
        return result + "…"
    }

    /// A text with spaces up to a width, behind it or before it.
    package static func pad(_ text: String, to columns: Int, alignRight: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, columns - width(text)))
        return alignRight ? padding + text : text + padding
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case ..<32, 127..<0xA0: return 0
        case 0x300...0x36F, 0x200B...0x200F, 0x20D0...0x20FF, 0xFE00...0xFE0F: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
