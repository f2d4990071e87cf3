import FundCore

/// The harmless part of the values of declarations.
struct StyleValues {
    private static let properties: Set<String> = [
        "align-content", "align-items", "align-self", "aspect-ratio", "bottom", "box-shadow", "box-sizing",
        "caption-side", "clear", "color", "color-scheme", "column-gap", "columns", "content", "direction", "display",
        "empty-cells", "flex", "flex-basis", "flex-direction", "flex-flow", "flex-grow", "flex-shrink", "flex-wrap",
        "float", "gap", "height", "hyphens", "justify-content", "justify-items", "justify-self", "left",
        "letter-spacing", "line-height", "max-height", "max-width", "min-height", "min-width", "object-fit", "opacity",
        "order", "orphans", "outline", "outline-color", "outline-offset", "outline-style", "outline-width", "overflow",
        "overflow-wrap", "overflow-x", "overflow-y", "page-break-after", "page-break-before", "page-break-inside",
        "position", "quotes", "right", "row-gap", "table-layout", "tab-size", "top", "unicode-bidi", "vertical-align",
        "visibility", "white-space", "widows", "width", "word-break", "word-spacing", "word-wrap", "z-index",
    ]
    /// With what stands behind them: `border-top-color`.
    private static let families = ["background", "border", "font", "list-style", "margin", "padding", "text"]
    private static let pictureProperties: Set<String> = [
        "background", "background-image", "list-style", "list-style-image",
    ]
    private static let functions: Set<String> = [
        "rgb", "rgba", "hsl", "hsla", "hwb", "calc", "min", "max", "clamp", "linear-gradient", "radial-gradient",
        "light-dark",
    ]
    /// Nothing stays where the reader scrolls away from it, or stands over what is not of the mail.
    private static let positions: Set<String> = ["static", "relative", "absolute"]

    var context: MarkupContext

    /// Nil for a property or a value that is not allowed. An address is taken out, and the rest stays.
    /// - Parameter property: in lower case.
    mutating func filtered(_ tokens: ArraySlice<StyleToken>, of property: String) -> String? {
        let isKnown = isAllowed(property)
        var tokens = tokens
        var value: [StyleToken] = []
        while let token = tokens.popFirst() {
            if Self.isShownText(token, of: property) { return nil }
            guard let address = Self.address(token, &tokens) else {
                // The text in it may be one all the same.
                if token == .function("url") { return nil }
                value.append(token)
                continue
            }
            let isShowable = isKnown && Self.pictureProperties.contains(property)
            if let shown = context.pictureAddress(address, isShowable: isShowable) {
                value += [.function("url"), .string(shown), .mark(.closeParenthesis)]
            } else {
                value.append(.space)
            }
        }
        guard isKnown else { return nil }
        if property == "position", !value.allSatisfy(Self.isPosition) { return nil }
        guard Self.isShort(value), let text = StyleWriter.text(Self.withoutImportance(&value), Self.text(of:)) else {
            return nil
        }
        if property == "color-scheme", value.contains(.word("dark")) { context.hasDarkColours = true }
        return text + (value.last == .word("important") ? "!important" : "")
    }

    /// Whether it writes words that are not in the mail's text: before a link, instead of a bullet, between quotes.
    /// They could name another host than the link leads to.
    private static func isShownText(_ token: StyleToken, of property: String) -> Bool {
        guard case .string(let text) = token, !property.hasPrefix("font") else { return false }
        return text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    private static func isShort(_ value: [StyleToken]) -> Bool {
        let marks = value.count { if case .mark = $0 { true } else { false } }
        let components = value.count - marks - value.count { $0 == .space }
        // A component has brackets and a comma at most, but for signs in sums.
        return components <= StyleWriter.maxComponents && marks <= 3 * StyleWriter.maxComponents
    }

    private func isAllowed(_ property: String) -> Bool {
        Self.properties.contains(property)
            || Self.families.contains { property == $0 || property.hasPrefix($0 + "-") }
                && property.utf8.allSatisfy { ASCII.isLowercase($0) || $0 == .hyphen }
    }

    /// Takes the address of `url(…)` in both forms.
    private static func address(_ token: StyleToken, _ rest: inout ArraySlice<StyleToken>) -> String? {
        if case .address(let text) = token { return text }
        guard token == .function("url") else { return nil }
        var behind = rest.drop { $0 == .space }
        guard case .string(let text)? = behind.popFirst() else { return nil }
        behind = behind.drop { $0 == .space }
        // Without its end the style ends here.
        guard behind.first == .mark(.closeParenthesis) || behind.isEmpty else { return nil }
        rest = behind.dropFirst()
        return text
    }

    /// The value before `!important` (§5.4.4). `value` then ends in that word, if it is there.
    private static func withoutImportance(_ value: inout [StyleToken]) -> ArraySlice<StyleToken> {
        while value.last == .space { value.removeLast() }
        guard case .word(let word)? = value.last, ASCII.lowercased(word.utf8) == "important" else { return value[...] }
        let before = value.dropLast().reversed().drop { $0 == .space }
        guard before.first == .mark(UInt8(ascii: "!")) else { return value[...] }
        value[value.count - 1] = .word("important")
        return value.prefix(before.count - 1)
    }

    private static func isPosition(_ token: StyleToken) -> Bool {
        switch token {
        case .space, .mark(UInt8(ascii: "!")): true
        case .word(let name): positions.contains(ASCII.lowercased(name.utf8)) || name.lowercased() == "important"
        default: false
        }
    }

    private static func text(of token: StyleToken) -> String? {
        switch token {
        case .word(let name): StyleWriter.word(name)
        case .hash(let name): name.utf8.allSatisfy(ASCII.isAlphanumeric) ? "#" + name : nil
        case .string(let text): StyleWriter.quoted(text)
        case .number(let text): text
        case .dimension(let text, let unit): StyleWriter.dimension(text, unit)
        // Written by `filtered`, with an address that is shown.
        case .function("url"): "url("
        case .function(let name): functions.contains(name) ? name + "(" : nil
        case .mark(let byte) where ",/*+-)(".utf8.contains(byte): String(UnicodeScalar(byte))
        default: nil
        }
    }
}
