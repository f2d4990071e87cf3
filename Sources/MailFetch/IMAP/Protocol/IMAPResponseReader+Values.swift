internal import MailConnection
internal import FundCore

/// Atoms, strings, literals and lists (RFC 3501 §4).
extension IMAPResponseReader {
    indirect enum Value: Equatable {
        case null
        case string(String)
        case list([Value])

        var text: String? {
            if case .string(let text) = self { return text }
            return nil
        }

        /// Digits only: no sign, in 63 bits.
        var number: UInt64? {
            guard let text, text.utf8.allSatisfy(ASCII.isDigit), let number = UInt64(text) else { return nil }
            return number <= Int64.max ? number : nil
        }
    }

    mutating func value(depth: Int) throws(ConnectionError) -> Value {
        switch try bytes.peek() {
        case .openParenthesis:
            guard depth < Self.maxDepth else { throw Self.violation("too many parentheses") }
            try skip()
            var values: [Value] = []
            while true {
                let byte = try bytes.peek()
                if byte == .closeParenthesis { break }
                if byte == .space { try skip() } else { values.append(try value(depth: depth + 1)) }
                try spend(MemoryLayout<Value>.stride)
            }
            try skip()
            return .list(values)
        case .quote: return .string(String(decoding: try quoted(), as: UTF8.self))
        case UInt8(ascii: "{"), UInt8(ascii: "~"):
            let size = try literalSize()
            guard size <= UInt64(max(budget, 0)) else { throw Self.violation("a value without end") }
            try spend(Int(size))
            var text: [UInt8] = []
            while UInt64(text.count) < size {
                try bytes.withAvailable(limit: size - UInt64(text.count)) { chunk throws(ConnectionError) in
                    text.append(contentsOf: chunk)
                    return (chunk.count, ())
                }
            }
            return .string(String(decoding: text, as: UTF8.self))
        default:
            let atom = try readToken()
            guard !atom.isEmpty else { throw Self.violation("a value is missing") }
            return atom.uppercased() == "NIL" ? .null : .string(atom)
        }
    }

    mutating func quoted() throws(ConnectionError) -> [UInt8] {
        try skip()
        var text: [UInt8] = []
        while true {
            var byte = try bytes.next()
            try spend(1)
            if byte == .quote { return text }
            if byte == .backslash { byte = try bytes.next() }
            if byte.isLineEnd || byte == 0 { throw Self.violation("a quoted string does not end") }
            text.append(byte)
        }
    }

    /// `{n}`, `{n+}`, `~{n}` and the line end (RFC 3501 §4.3, RFC 7888, RFC 3516).
    mutating func literalSize() throws(ConnectionError) -> UInt64 {
        if try bytes.peek() == UInt8(ascii: "~") { try skip() }
        guard try bytes.next() == UInt8(ascii: "{") else { throw Self.violation("a literal without a length") }
        var digits: [UInt8] = []
        while true {
            let byte = try bytes.next()
            if byte == UInt8(ascii: "}") { break }
            guard ASCII.isDigit(byte) || byte == .plus, digits.count < 20 else {
                throw Self.violation("a literal with a wrong length")
            }
            digits.append(byte)
        }
        guard try bytes.next() == .cr, try bytes.next() == .lf else {
            throw Self.violation("a literal on the same line")
        }
        return try Self.size(digits.last == .plus ? digits.dropLast() : digits[...])
    }

    static func size(_ digits: ArraySlice<UInt8>) throws(ConnectionError) -> UInt64 {
        var size: UInt64 = 0
        for digit in digits {
            guard ASCII.isDigit(digit), size < UInt64(Int64.max) / 10 else {
                throw violation("a literal with a wrong length")
            }
            size = size * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        guard !digits.isEmpty else { throw violation("a literal with a wrong length") }
        return size
    }

    /// Reads the first pair of `(("INBOX." "."))`; nil for `NIL` and for what is no namespace.
    static func namespace(_ value: Value) -> IMAPNamespace? {
        guard case .list(let namespaces) = value, case .list(let first) = namespaces.first, first.count >= 2,
            let prefix = first[0].text
        else { return nil }
        return IMAPNamespace(prefix: prefix, delimiter: first[1].text.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// `(STORAGE 10 512 MESSAGE 3 100)`.
    static func quota(_ value: Value) -> [String: IMAPQuota] {
        guard case .list(let words) = value else { return [:] }
        var quota: [String: IMAPQuota] = [:]
        for start in stride(from: 0, to: words.count - 2, by: 3) {
            if let name = words[start].text, let used = words[start + 1].number, let limit = words[start + 2].number {
                quota[name.uppercased()] = IMAPQuota(used: used, limit: limit)
            }
        }
        return quota
    }
}
