import FundCore

/// Character references (WHATWG HTML §13.2.5.72), of which the names that mail programs write are known.
enum CharacterReferences {
    /// A reference at `&`.
    enum Found {
        case scalar(Unicode.Scalar, end: Int)
        /// A name of the right form that is not known here, `&rarr;`, which a browser may know.
        case unknown(end: Int)
        case none
    }

    /// `text` with its references decoded; names that are not known stay.
    static func decoded(_ text: [UInt8], inAttribute: Bool) -> String {
        guard text.contains(.ampersand) else { return String(decoding: text, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == .ampersand, case .scalar(let scalar, let end) = read(text, at: index, inAttribute) {
                result += Array(String(scalar).utf8)
                index = end
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads what the `&` at `start` begins.
    static func read(_ text: [UInt8], at start: Int, _ inAttribute: Bool) -> Found {
        let next = start + 1
        guard next < text.count else { return .none }
        if text[next] == UInt8(ascii: "#") { return readNumber(text, at: next + 1) }
        let name = text[next...].prefix(maxNameBytes).prefix(while: ASCII.isAlphanumeric)
        guard !name.isEmpty else { return .none }
        if name.endIndex < text.count, text[name.endIndex] == .semicolon {
            guard let scalar = named[String(decoding: name, as: UTF8.self)] else {
                return .unknown(end: name.endIndex + 1)
            }
            return .scalar(scalar, end: name.endIndex + 1)
        }
        // Old names do without the semicolon, and the longest counts: `&notit;` is `¬it;`.
        for count in stride(from: min(name.count, maxOldNameBytes), through: 2, by: -1) {
            guard let scalar = oldNames[String(decoding: name.prefix(count), as: UTF8.self)] else { continue }
            let end = next + count
            if inAttribute, end < text.count, text[end] == .equals || ASCII.isAlphanumeric(text[end]) { return .none }
            return .scalar(scalar, end: end)
        }
        return .none
    }

    private static func readNumber(_ text: [UInt8], at start: Int) -> Found {
        let isHex = start < text.count && text[start] | 0x20 == UInt8(ascii: "x")
        let first = isHex ? start + 1 : start
        var (value, index) = (UInt32(0), first)
        while index < text.count, let digit = ASCII.hexValue(text[index]), isHex || digit < 10 {
            value = min(value &* (isHex ? 16 : 10) &+ UInt32(digit), 0x11_0000)
            index += 1
        }
        guard index > first else { return .none }
        if index < text.count, text[index] == .semicolon { index += 1 }
        return .scalar(scalar(value), end: index)
    }

    /// §13.2.5.80: what is no character is U+FFFD, and 0x80 to 0x9F are those of windows-1252.
    private static func scalar(_ value: UInt32) -> Unicode.Scalar {
        if (0x80...0x9F).contains(value) { return windows1252[Int(value) - 0x80] }
        return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    /// The longest name of the standard, `CounterClockwiseContourIntegral`.
    private static let maxNameBytes = 31
    private static let maxOldNameBytes = 6

    private static let windows1252: [Unicode.Scalar] = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    /// U+00A0 to U+00FF (HTML 4 §24.2), which need no semicolon.
    private static let oldNames: [String: Unicode.Scalar] = {
        let latin1 = """
            nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
            micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
            Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH
            Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave
            aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde
            ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
            """
        var result: [String: Unicode.Scalar] = [
            "amp": "&", "AMP": "&", "lt": "<", "LT": "<", "gt": ">", "GT": ">", "quot": "\"", "QUOT": "\"",
        ]
        for (offset, name) in latin1.split(whereSeparator: \.isWhitespace).enumerated() {
            result[String(name)] = Unicode.Scalar(0xA0 + UInt32(offset))
        }
        return result
    }()

    /// With a semicolon: also what hides an address or its end.
    private static let named: [String: Unicode.Scalar] = oldNames.merging(
        [
            "apos": "'", "Tab": "\t", "NewLine": "\n", "colon": ":", "sol": "/", "bsol": "\\", "period": ".",
            "num": "#", "quest": "?", "equals": "=", "lpar": "(", "rpar": ")", "commat": "@", "percnt": "%",
            "semi": ";", "comma": ",", "excl": "!", "plus": "+", "lowbar": "_", "hyphen": "‐", "grave": "`",
            "ndash": "–", "mdash": "—", "euro": "€", "hellip": "…", "bull": "•", "lsquo": "‘", "rsquo": "’",
            "ldquo": "“", "rdquo": "”", "sbquo": "‚", "bdquo": "„", "trade": "™", "ensp": "\u{2002}",
            "emsp": "\u{2003}", "thinsp": "\u{2009}", "zwnj": "\u{200C}", "zwj": "\u{200D}", "lrm": "\u{200E}",
            "rlm": "\u{200F}",
        ]) { $1 }
}
