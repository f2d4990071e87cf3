/// Cuts a MIME field into its value and its parameters (RFC 2045 §5.1), forgiving what mail programs really write.
struct ParameterScan {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// `type/subtype` or a disposition, lower-case. Call first.
    mutating func value() -> String {
        var found: [UInt8] = []
        skipSpace()
        while index < bytes.count, bytes[index] != 59 {
            if ASCII.isSpace(bytes[index]) || bytes[index] == 40 {
                skipSpace()
                // White space only goes on around the slash.
                guard index < bytes.count, bytes[index] == 47 || found.last == 47 else { break }
                continue
            }
            if bytes[index] == 61 {
                // `Content-Type: charset=x` has no value: what was read is a name.
                index = 0
                return ""
            }
            if bytes[index] != 34, bytes[index] < 127, bytes[index] > 32 { found.append(bytes[index]) }
            index += 1
        }
        return ASCII.lowercased(found)
    }

    /// The next parameter: its lower-case name and its value, quotes taken off, nothing decoded.
    mutating func next() -> (name: [UInt8], value: [UInt8])? {
        while index < bytes.count {
            skipSpace()
            while index < bytes.count, bytes[index] == 59 || bytes[index] == 44 {
                index += 1
                skipSpace()
            }
            var name: [UInt8] = []
            while index < bytes.count, bytes[index] != 61, bytes[index] != 59, !ASCII.isSpace(bytes[index]) {
                name.append(ASCII.lowercased(bytes[index]))
                index += 1
            }
            skipSpace()
            guard index < bytes.count, bytes[index] == 61 else { continue }
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
        guard index < bytes.count, bytes[index] == 34 else { return unquoted(isName: isName) }
        var value = quoted()
        while true {
            skipBlanks()
            // Two strings in a row are one that a program folded.
            guard index < bytes.count, bytes[index] == 34 else { break }
            value += [32] + quoted()
        }
        while index < bytes.count, bytes[index] != 59 {
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
            if byte == 34 { return value }
            // Windows paths come unescaped: only `\"` and `\\` are quoted pairs.
            if byte == 92, index < bytes.count, bytes[index] == 34 || bytes[index] == 92 {
                value.append(bytes[index])
                index += 1
            } else {
                value.append(byte)
            }
        }
        // Never closed: the value ends at the next parameter.
        index = start
        value = []
        while index < bytes.count, bytes[index] != 59 {
            value.append(bytes[index])
            index += 1
        }
        return Array(ASCII.trimmed(value[...]))
    }

    private mutating func unquoted(isName: Bool) -> [UInt8] {
        var value: [UInt8] = []
        while index < bytes.count, bytes[index] != 59 {
            if ASCII.isSpace(bytes[index]), !isName || startsParameter(at: index + 1) { break }
            if !isName, bytes[index] == 40 { break }
            value.append(bytes[index])
            index += 1
        }
        return Array(ASCII.trimmed(value[...]))
    }

    /// Whether `token=` stands there: a semicolon was forgotten. Encoded words end with `=` too, but after `?`.
    private func startsParameter(at position: Int) -> Bool {
        var next = position
        while next < bytes.count, next - position < 40,
            ASCII.isLetter(bytes[next]) || bytes[next] == 45 || bytes[next] == 42
                || ASCII.isDigit(bytes[next])
        { next += 1 }
        return next > position && next + 1 < bytes.count && bytes[next] == 61 && bytes[next + 1] != 63
    }

    private mutating func skipBlanks() {
        while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
    }

    /// White space and comments (RFC 5322 §3.2.2), nesting counted.
    private mutating func skipSpace() {
        var depth = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 40 {
                depth += 1
            } else if depth > 0, byte == 41 {
                depth -= 1
            } else if depth > 0, byte == 92 {
                index += 1
            } else if depth == 0, !ASCII.isSpace(byte) {
                return
            }
            index += 1
        }
        index = min(index, bytes.count)
    }
}
