import FundCore

/// The harmless part of style: rules and declarations that change how text looks, written anew from their tokens. It
/// holds no `<`, so that it ends no element, and no address but those of pictures that `MarkupContext` allows.
struct StyleSheet {
    private static let maxDepth = 4
    /// Limit of rules in all style sheets of a mail. Those of newsletters have some hundred; browsers try each rule at
    /// each element.
    static let maxRules = 2000
    /// Limit of declarations in one rule or attribute.
    static let maxDeclarations = 256

    private let tokens: [StyleToken]
    /// For each opening bracket, where its closing one stands, or the end.
    private var ends: [Int: Int] = [:]
    private var values: StyleValues

    private init(_ text: String, _ context: MarkupContext) {
        tokens = StyleTokenizer.tokens(of: Array(text.utf8))
        values = StyleValues(context: context)
        var open: [(index: Int, close: UInt8)] = []
        for (index, token) in tokens.enumerated() {
            switch token {
            case .function, .mark(.openParenthesis): open.append((index, .closeParenthesis))
            case .mark(UInt8(ascii: "[")): open.append((index, UInt8(ascii: "]")))
            case .mark(UInt8(ascii: "{")): open.append((index, UInt8(ascii: "}")))
            case .mark(let byte) where byte == open.last?.close:
                if let last = open.popLast() { ends[last.index] = index }
            default: break
            }
        }
        for bracket in open { ends[bracket.index] = tokens.count }
    }

    /// The content of a `style` element.
    /// - Parameter media: the attribute of that name.
    static func filtered(_ text: String, media: String?, _ context: inout MarkupContext) -> String {
        var sheet = StyleSheet(text, context)
        var result = sheet.rules(0..<sheet.tokens.count, depth: 0)
        context = sheet.values.context
        guard let media, !media.isEmpty, !result.isEmpty else { return result }
        let query = StyleTokenizer.tokens(of: Array(media.utf8))
        guard let text = StyleWriter.mediaQuery(query[...]) else { return "" }
        result = "@media \(text){\(result)}"
        return result
    }

    /// The value of a `style` attribute.
    static func declarations(_ text: String, _ context: inout MarkupContext) -> String {
        var sheet = StyleSheet(text, context)
        let result = sheet.declarations(0..<sheet.tokens.count)
        context = sheet.values.context
        return result
    }

    // MARK: Rules (§5.4)

    private mutating func rules(_ range: Range<Int>, depth: Int) -> String {
        var result = ""
        var index = range.lowerBound
        while index < range.upperBound {
            switch tokens[index] {
            case .space, .mark(.semicolon), .mark(UInt8(ascii: "}")): index += 1
            case .atWord(let name):
                let end = preludeEnd(from: index + 1, range.upperBound, endsAtSemicolon: true)
                guard let block = block(at: end, range.upperBound) else {
                    index = end + 1
                    break
                }
                if name == "media", depth < Self.maxDepth, let query = StyleWriter.mediaQuery(tokens[(index + 1)..<end])
                {
                    let inner = rules(block, depth: depth + 1)
                    if !inner.isEmpty { result += "@media \(query){\(inner)}" }
                }
                index = block.upperBound + 1
            default:
                let end = preludeEnd(from: index, range.upperBound, endsAtSemicolon: false)
                guard let block = block(at: end, range.upperBound) else { return result }
                let inner = declarations(block)
                if !inner.isEmpty, values.context.styleRules < Self.maxRules,
                    let selector = StyleWriter.selector(tokens[index..<end])
                {
                    values.context.styleRules += 1
                    result += "\(selector){\(inner)}"
                }
                index = block.upperBound + 1
            }
        }
        return result
    }

    /// Where the block begins, or the rule ends.
    private func preludeEnd(from start: Int, _ limit: Int, endsAtSemicolon: Bool) -> Int {
        var index = start
        while index < limit {
            if tokens[index] == .mark(UInt8(ascii: "{")) { return index }
            if endsAtSemicolon, tokens[index] == .mark(.semicolon) { return index }
            index = (ends[index] ?? index) + 1
        }
        return limit
    }

    private func block(at index: Int, _ limit: Int) -> Range<Int>? {
        guard index < limit, tokens[index] == .mark(UInt8(ascii: "{")) else { return nil }
        return (index + 1)..<max(index + 1, min(ends[index] ?? limit, limit))
    }

    // MARK: Declarations (§5.4.4)

    private mutating func declarations(_ range: Range<Int>) -> String {
        var result: [String] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if tokens[index] == .space || tokens[index] == .mark(.semicolon) {
                index += 1
                continue
            }
            var end = index
            while end < range.upperBound, tokens[end] != .mark(.semicolon) { end = (ends[end] ?? end) + 1 }
            end = min(end, range.upperBound)
            // Declarations behind the last one that is written are read all the same: they may name pictures.
            if let text = declaration(tokens[index..<end]), result.count < Self.maxDeclarations { result.append(text) }
            index = end + 1
        }
        return result.joined(separator: ";")
    }

    private mutating func declaration(_ tokens: ArraySlice<StyleToken>) -> String? {
        guard case .word(let word)? = tokens.first else { return nil }
        let rest = tokens.dropFirst().drop { $0 == .space }
        guard rest.first == .mark(.colon) else { return nil }
        let name = ASCII.lowercased(word.utf8)
        guard let value = values.filtered(rest.dropFirst(), of: name), !value.isEmpty else { return nil }
        return "\(name):\(value)"
    }
}
