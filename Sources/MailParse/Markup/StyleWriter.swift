import FundCore

/// Writes tokens of style. Every text comes out as the tokens that went in, so that reading it again gives the same.
enum StyleWriter {
    private static let units: Set<String> = [
        "%", "px", "em", "rem", "pt", "pc", "cm", "mm", "in", "ex", "ch", "vh", "vw", "vmin", "vmax", "deg", "dppx",
        "dpi", "fr",
    ]
    private static let selectorFunctions: Set<String> = [
        "not", "is", "where", "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type", "lang",
    ]

    /// Brackets within brackets
    static let maxDepth = 8
    /// Limit of one selector of a list: what an element must be, and what it must stand in or behind.
    static let maxCombinators = 16
    /// Limit of one list: names, classes, attributes and functions.
    static let maxSelectorParts = 256
    /// Limit of a value: words, numbers, colours, strings and functions.
    static let maxComponents = 64

    /// Nil for tokens that no list below allows, and for more than a browser tries at each element without delay.
    static func selector(_ tokens: ArraySlice<StyleToken>) -> String? {
        guard isSimple(tokens) else { return nil }
        return text(tokens) { token in
            switch token {
            case .word(let name): word(name)
            case .hash(let name): word(name).map { "#" + $0 }
            case .string(let text): quoted(text)
            case .number(let text): text
            // `2n`, and `2n-1`.
            case .dimension(let text, let unit):
                unit == "n" || (unit.hasPrefix("n-") && unit.dropFirst(2).utf8.allSatisfy(ASCII.isDigit))
                    ? text + unit : nil
            case .function(let name): selectorFunctions.contains(name) ? name + "(" : nil
            case .mark(let byte) where ".*>+~,:[]=|^$)".utf8.contains(byte): String(UnicodeScalar(byte))
            default: nil
            }
        }
    }

    private static func isSimple(_ tokens: ArraySlice<StyleToken>) -> Bool {
        var (parts, combinators, depth) = (0, 0, 0)
        var (isBehind, isBetween) = (false, false)
        for token in tokens {
            switch token {
            case .space, .mark(.greaterThan), .mark(.plus), .mark(UInt8(ascii: "~")):
                // White space around a combinator is part of it.
                isBetween = true
                continue
            case .mark(.comma) where depth == 0:
                (combinators, isBehind, isBetween) = (0, false, false)
                continue
            case .mark(.comma):
                // The end of a list within `:is()`: what follows is no step.
                (isBehind, isBetween) = (false, false)
                continue
            case .function: (parts, depth) = (parts + 1, depth + 1)
            case .mark(.closeParenthesis): depth -= 1
            case .mark(let byte) where byte != .asterisk && byte != UInt8(ascii: "["): break
            default: parts += 1
            }
            if isBehind, isBetween { combinators += 1 }
            (isBehind, isBetween) = (true, false)
            guard combinators <= maxCombinators, parts <= maxSelectorParts else { return false }
        }
        return true
    }

    static func mediaQuery(_ tokens: ArraySlice<StyleToken>) -> String? {
        text(tokens) { token in
            switch token {
            case .word(let name): word(name)
            case .number(let text): text
            case .dimension(let text, let unit): dimension(text, unit)
            case .mark(let byte) where "(),:>=/".utf8.contains(byte): String(UnicodeScalar(byte))
            default: nil
            }
        }
    }

    /// Nil for a text without tokens, with brackets that do not match or are nested too deep, and where `write` gives
    /// nil.
    static func text(_ tokens: ArraySlice<StyleToken>, _ write: (StyleToken) -> String?) -> String? {
        var result = ""
        var open: [UInt8] = []
        for token in tokens {
            switch token {
            case .space:
                if !result.isEmpty, result.utf8.last != .space { result += " " }
                continue
            case .function, .mark(.openParenthesis): open.append(.closeParenthesis)
            case .mark(UInt8(ascii: "[")): open.append(UInt8(ascii: "]"))
            case .mark(.closeParenthesis), .mark(UInt8(ascii: "]")):
                guard let last = open.popLast(), token == .mark(last) else { return nil }
            default: break
            }
            guard open.count <= maxDepth, let text = write(token) else { return nil }
            result += text
        }
        if result.utf8.last == .space { result.removeLast() }
        return open.isEmpty && !result.isEmpty ? result : nil
    }

    /// Nil for a name that only escapes can write, and for custom properties.
    static func word(_ name: String) -> String? {
        let bytes = Array(name.utf8)
        let first = bytes.drop { $0 == .hyphen }.first
        let hyphens = bytes.prefix { $0 == .hyphen }.count
        guard hyphens < 2, let first, ASCII.isLetter(first) || first == .underscore || first >= 0x80,
            bytes.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == .hyphen || $0 == .underscore || $0 >= 0x80 })
        else { return nil }
        return name
    }

    static func dimension(_ number: String, _ unit: String) -> String? { units.contains(unit) ? number + unit : nil }

    /// In quotes, with everything escaped that has a meaning in style or markup (§4.3.7).
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            let isPlain = scalar.value >= 0x80 || scalar == " " || ASCII.isVisible(UInt8(scalar.value))
            if isPlain, !"\"\\<>&".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\\(String(scalar.value, radix: 16)) "
            }
        }
        return result + "\""
    }
}
