/// A `Character` is what a reader sees as one: a quote with an accent over it is another character than a quote, while
/// to a shell or a file system its first byte is the quote. What protects others from such bytes goes by scalars.
extension String {
    /// Every occurrence of one scalar replaced, also before a combining mark.
    package func replacing(scalar: Unicode.Scalar, with text: String) -> String {
        guard unicodeScalars.contains(scalar) else { return self }
        return unicodeScalars.reduce(into: "") { result, other in
            if other == scalar { result += text } else { result.unicodeScalars.append(other) }
        }
    }

    /// The beginning of the text, cut between two scalars.
    /// - Parameter bytes: of UTF-8, at most.
    package func prefix(bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, bytes))
        while end > startIndex, !UTF8.isBoundary(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension String {
    /// True when a reader sees anything of the text: more than white space, controls and invisible characters (UAX #44
    /// Default_Ignorable_Code_Point, such as U+200B, U+2060, variation selectors and tags).
    package var hasVisibleScalar: Bool {
        unicodeScalars.contains { scalar in
            if scalar.value < 0x80 { return ASCII.isVisible(UInt8(scalar.value)) }
            let properties = scalar.properties
            // U+2800 is a Braille cell without dots.
            return scalar.value != 0x2800 && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
                && ![.control, .format].contains(properties.generalCategory)
        }
    }
}

extension UTF8 {
    /// Whether a scalar begins with this byte.
    fileprivate static func isBoundary(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}

extension String {
    /// One line for a list, such as the name of a person or a device: line ends and tabs are spaces; other controls go,
    /// and so does what turns the direction of writing (UAX #9 §2), so that it can neither command a terminal nor read
    /// as another one.
    package var label: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        return unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.value {
            case 0x09...0x0D, 0x85, 0x2028, 0x2029: result.unicodeScalars.append(" ")
            case 0..<0x20, 0x7F..<0xA0: break
            // The scalars with the property Bidi_Control.
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

extension String {
    /// The text of a stranger between quotation marks, for a line that holds other words: whatever could end the
    /// quotation, break the line, turn the direction of writing or stay unseen is written as `\\u{201D}`. Text in a
    /// right-to-left script stands as it is: put it at the end of a line, since it reorders what follows.
    package var quoted: String {
        var result = "“"
        for scalar in unicodeScalars {
            // A mark at the beginning would stand on the quotation mark.
            let isMark = result.unicodeScalars.count == 1 && scalar.properties.isMark
            if isMark || scalar.mayEndQuotation || scalar == "\\" {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "”"
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isMark: Bool { [.nonspacingMark, .spacingMark, .enclosingMark].contains(generalCategory) }
}

extension Unicode.Scalar {
    /// True for quotation marks (UAX #44 Quotation_Mark), line ends, controls, and what has no glyph of its own.
    fileprivate var mayEndQuotation: Bool {
        if value < 0x80 { return self == "\"" || !(0x20..<0x7F).contains(value) }
        let others: [Unicode.GeneralCategory] = [
            .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned,
        ]
        // Joiners belong to words and to pictures, the apostrophe to names.
        if [0x200C, 0x200D, 0x2019].contains(value) { return false }
        return properties.isQuotationMark || properties.isDefaultIgnorableCodePoint
            || others.contains(properties.generalCategory)
    }

    /// True for a letter or a number of any script.
    package var isLetterOrDigit: Bool {
        if value < 0x80 { return ASCII.isAlphanumeric(UInt8(value)) }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
