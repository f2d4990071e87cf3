import FundCore

/// Cuts a MIME field into value and parameters (RFC 2045 §5.1), with the deviations that mail programs write.
struct ParameterScan {
    private let bytes: [UInt8]
    private var index = 0
    /// Whether no sequence that ends double bytes stands any more: it is looked for once.
    private var endsInDoubleBytes = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// `type/subtype` or a disposition, lower-case. Call first.
    mutating func value() -> String {
        var found: [UInt8] = []
        skipSpace()
        while index < bytes.count, bytes[index] != .semicolon {
            if ASCII.isSpace(bytes[index]) || bytes[index] == .openParenthesis {
                skipSpace()
                // White space only goes on around the slash.
                guard index < bytes.count, bytes[index] == .slash || found.last == .slash else { break }
                continue
            }
            if bytes[index] == .equals {
                // `Content-Type: charset=x` has no value: what was read is a name.
                index = 0
                return ""
            }
            if bytes[index] != .quote, ASCII.isVisible(bytes[index]) { found.append(bytes[index]) }
            index += 1
        }
        return ASCII.lowercased(found)
    }

    /// The next parameter: its lower-case name and its value, quotes taken off, nothing decoded.
    mutating func next() -> (name: [UInt8], value: [UInt8])? {
        while index < bytes.count {
            skipSpace()
            while index < bytes.count, bytes[index] == .semicolon || bytes[index] == .comma {
                index += 1
                skipSpace()
            }
            var name: [UInt8] = []
            while index < bytes.count, bytes[index] != .equals, bytes[index] != .semicolon, !ASCII.isSpace(bytes[index])
            {
                name.append(ASCII.lowercased(bytes[index]))
                index += 1
            }
            skipSpace()
            guard index < bytes.count, bytes[index] == .equals else { continue }
            index += 1
            let value = parameterValue(
                isName: name.starts(with: Array("file".utf8)) || name.starts(with: Array("name".utf8)))
            if !name.isEmpty { return (name, value) }
        }
        return nil
    }

    private mutating func parameterValue(isName: Bool) -> [UInt8] {
        // A comment may stand before a value, but `filename=(1).pdf` is a name.
        if isName { skipBlanks() } else { skipSpace() }
        guard index < bytes.count, bytes[index] == .quote else { return unquoted(isName: isName) }
        var value = quoted()
        while true {
            skipBlanks()
            // Two strings in a row are one that a program folded.
            guard index < bytes.count, bytes[index] == .quote else { break }
            value += [.space] + quoted()
        }
        while index < bytes.count, bytes[index] != .semicolon {
            if startsParameter(at: index) { break }
            index += 1
        }
        return value
    }

    private mutating func quoted() -> [UInt8] {
        index += 1
        let start = index
        var value: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == .escape, let end = endOfDoubleBytes() {
                value += bytes[(index - 1)..<end]
                index = end
                continue
            }
            if byte == .quote { return value }
            // Windows paths come unescaped: only `\"` and `\\` are quoted pairs.
            if byte == .backslash, index < bytes.count, bytes[index] == .quote || bytes[index] == .backslash {
                value.append(bytes[index])
                index += 1
            } else {
                value.append(byte)
            }
        }
        // Never closed: the value ends at the next parameter.
        index = start
        value = []
        while index < bytes.count, bytes[index] != .semicolon {
            value.append(bytes[index])
            index += 1
        }
        return Array(ASCII.trimmed(value[...]))
    }

    private mutating func unquoted(isName: Bool) -> [UInt8] {
        var value: [UInt8] = []
        while index < bytes.count, bytes[index] != .semicolon {
            if ASCII.isSpace(bytes[index]), !isName || startsParameter(at: index + 1) { break }
            if !isName, bytes[index] == .openParenthesis { break }
            value.append(bytes[index])
            index += 1
        }
        return Array(ASCII.trimmed(value[...]))
    }

    /// Index behind the bytes of ISO-2022-JP (RFC 1468) whose first sequence begins before `index`: `"` and `;` are
    /// halves of characters in it (a comma is `!"`). Nil where it does not begin there, or does not end.
    private mutating func endOfDoubleBytes() -> Int? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "$"), !endsInDoubleBytes else { return nil }
        guard let end = ASCII.firstIndex(of: [.escape, .openParenthesis], in: bytes, from: index) else {
            endsInDoubleBytes = true
            return nil
        }
        return min(end + 3, bytes.count)
    }

    /// Whether `token=` stands there: a semicolon was forgotten. Encoded words end with `=` too, but after `?`.
    private func startsParameter(at position: Int) -> Bool {
        var next = position
        while next < bytes.count, next - position < 40,
            ASCII.isAlphanumeric(bytes[next]) || bytes[next] == .hyphen || bytes[next] == .asterisk
        { next += 1 }
        return next > position && next + 1 < bytes.count && bytes[next] == .equals && bytes[next + 1] != .questionMark
    }

    private mutating func skipBlanks() {
        while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
    }

    /// White space and comments (RFC 5322 §3.2.2), nesting counted.
    private mutating func skipSpace() {
        var depth = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .openParenthesis {
                depth += 1
            } else if depth > 0, byte == .closeParenthesis {
                depth -= 1
            } else if depth > 0, byte == .backslash {
                index += 1
            } else if depth == 0, !ASCII.isSpace(byte) {
                return
            }
            index += 1
        }
        index = min(index, bytes.count)
    }
}
