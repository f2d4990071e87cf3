/// One `Authentication-Results` field (RFC 8601 §2.2), as far as trust needs it.
struct AuthenticationResults {
    struct Result {
        /// Lower-case, without version: `dmarc`, `dkim`, `spf`.
        var method: String
        /// Lower-case: `pass`, `fail`, `none` …
        var value: String
        /// `header.from` → value. A property that is given twice stands with both values.
        var properties: [(name: String, value: String)]

        func values(of name: String) -> [String] { properties.filter { $0.name == name }.map(\.value) }
    }

    /// Lower-case. Nil when the field begins with a result, as Exchange Online writes it.
    var authservID: String?
    var results: [Result]

    /// Nil when the field does not follow the grammar: it then proves nothing.
    init?(_ text: String) {
        guard let tokens = Self.tokens(of: text) else { return nil }
        var clauses = tokens.split(separator: .semicolon, omittingEmptySubsequences: false).map(Array.init)
        if clauses.last?.isEmpty == true { clauses.removeLast() }
        guard let first = clauses.first, !first.isEmpty else { return nil }
        if !first.contains(.equals) {
            guard case .word(let id, _) = first[0], first.count <= 2 else { return nil }
            // An optional version may follow; only 1 exists, another's meaning is unknown (RFC 8601 §2.2, §2.5).
            if first.count == 2 {
                guard case .word("1", _) = first[1] else { return nil }
            }
            authservID = id.lowercased()
            clauses.removeFirst()
        }
        results = []
        for clause in clauses {
            if clause == [.word("none", isQuoted: false)] { continue }
            guard let result = Self.result(of: clause) else { return nil }
            results.append(result)
        }
    }

    /// `method[/version] = value [reason = …] *(ptype.property = pvalue)`
    private static func result(of clause: [Token]) -> Result? {
        var pairs: [(name: String, value: String)] = []
        var rest = clause[...]
        while !rest.isEmpty {
            guard case .word(let name, isQuoted: false)? = rest.first, rest.dropFirst().first == .equals,
                case .word(let value, _)? = rest.dropFirst(2).first
            else { return nil }
            pairs.append((name.lowercased(), value))
            rest = rest.dropFirst(3)
        }
        guard let head = pairs.first else { return nil }
        let method = head.name.prefix { $0 != "/" }
        return Result(method: String(method), value: head.value.lowercased(), properties: Array(pairs.dropFirst()))
    }

    private enum Token: Equatable {
        case word(String, isQuoted: Bool)
        case equals, semicolon
    }

    /// Comments (RFC 5322 §3.2.2, nested) and folding are taken off; what stands in quotes is one word whatever it
    /// says. A value goes on to the next white space, comment or semicolon: it may hold `=` (the addresses of VERP and
    /// SRS), and an address whose local part is quoted goes on behind the quotes. Nil for an open comment or quote.
    private static func tokens(of text: String) -> [Token]? {
        var tokens: [Token] = []
        var word: String?
        var isQuoted = false
        // A quoted string has ended with which a value begins.
        var isClosed = false
        var depth = 0
        var iterator = text.unicodeScalars.makeIterator()
        func flush() {
            if let word { tokens.append(.word(word, isQuoted: isQuoted)) }
            (word, isQuoted, isClosed) = (nil, false, false)
        }
        while let scalar = iterator.next() {
            if depth > 0 {
                switch scalar {
                case "\\": _ = iterator.next()
                case "(": depth += 1
                case ")": depth -= 1
                default: break
                }
                continue
            }
            if isClosed {
                if scalar == "@" { isClosed = false } else { flush() }
            }
            switch scalar {
            case "(":
                flush()
                depth = 1
            case "\"":
                guard word == nil else { return nil }
                guard let quoted = quotedString(&iterator) else { return nil }
                (word, isQuoted) = (quoted, true)
                if tokens.last == .equals { isClosed = true } else { flush() }
            case ";":
                flush()
                tokens.append(.semicolon)
            case "=" where word == nil || tokens.last != .equals:
                flush()
                tokens.append(.equals)
            case _ where scalar.properties.isWhitespace: flush()
            case _ where scalar.value < 32 || scalar.value == 127: return nil
            default: word = (word ?? "") + String(scalar)
            }
        }
        flush()
        return depth == 0 ? tokens : nil
    }

    private static func quotedString(_ iterator: inout String.UnicodeScalarView.Iterator) -> String? {
        var text = ""
        while let scalar = iterator.next() {
            if scalar == "\"" { return text }
            if scalar == "\\" {
                guard let escaped = iterator.next() else { return nil }
                text.unicodeScalars.append(escaped)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return nil
    }
}
