import FundCore

/// Boundaries (RFC 2046 §5.1.1) as GMime 3.2.13 compares them: the whole line, white space at its end left out.
enum Boundary {
    enum Declared {
        case plain([UInt8])
        /// Written so that readers may disagree about it.
        case odd
    }

    /// FNV-1a over the text without white space at its end. Two that collide only count too much.
    static func key(_ text: UnsafeRawBufferPointer) -> UInt64 {
        var end = text.count
        while end > 0, ASCII.isSpace(text[end - 1]) { end -= 1 }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<end { hash = (hash ^ UInt64(text[index])) &* 0x100_0000_01B3 }
        return hash
    }

    static func withoutFinalMark(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var end = text.count
        while end > 0, ASCII.isSpace(text[end - 1]) { end -= 1 }
        guard end >= 2, text[end - 1] == .hyphen, text[end - 2] == .hyphen else { return nil }
        return UnsafeRawBufferPointer(rebasing: text[..<(end - 2)])
    }

    /// `message`, then white space or a comment, then `/`.
    static func namesMessage(_ lower: [UInt8]) -> Bool {
        let word = Array("message".utf8)
        var start = 0
        while let found = ASCII.firstIndex(of: word, in: lower, from: start) {
            start = found + word.count
            var next = start
            while next < lower.count, ASCII.isSpace(lower[next]) { next += 1 }
            if next < lower.count, lower[next] == .slash || lower[next] == .openParenthesis { return true }
        }
        return false
    }

    /// Every `boundary` parameter of a field, in the plain form that all readers agree on, or `odd`.
    static func declared(in field: [UInt8]) -> [Declared] {
        let lower = field.map { ASCII.lowercased($0) }
        let word = Array("boundary".utf8)
        var (result, start): ([Declared], Int) = ([], 0)
        while let found = ASCII.firstIndex(of: word, in: lower, from: start) {
            start = found + word.count
            var next = start
            while next < field.count, ASCII.isSpace(field[next]) { next += 1 }
            guard next < field.count else { break }
            if field[next] == .asterisk || field[next] == .openParenthesis {
                result.append(.odd)
            } else if field[next] == .equals {
                result.append(value(in: field, from: next + 1))
            }
        }
        return result
    }

    private static func value(in field: [UInt8], from start: Int) -> Declared {
        var next = start
        while next < field.count, ASCII.isSpace(field[next]) { next += 1 }
        guard next < field.count else { return .odd }
        let isQuoted = field[next] == .quote
        if isQuoted { next += 1 }
        var value: [UInt8] = []
        while next < field.count,
            isQuoted ? field[next] != .quote : field[next] != .semicolon && !ASCII.isSpace(field[next])
        {
            value.append(field[next])
            next += 1
        }
        if isQuoted {
            guard next < field.count else { return .odd }
        } else {
            while next < field.count, ASCII.isSpace(field[next]) { next += 1 }
            guard next == field.count || field[next] == .semicolon else { return .odd }
        }
        // A parenthesis is a character of the value like any other; only in front of it a comment begins.
        let isComment = !isQuoted && value.first == .openParenthesis
        let isOdd = value.contains { $0 < .space || $0 > UInt8(ascii: "~") || $0 == .backslash || $0 == .quote }
        return isOdd || isComment || mayHoldEncodedWord(value) || value.allSatisfy(ASCII.isSpace) ? .odd : .plain(value)
    }

    /// Whether a reader could find an encoded word (RFC 2047 §2) in it, as GMime does; `=?` alone begins none.
    private static func mayHoldEncodedWord(_ value: [UInt8]) -> Bool {
        guard let begin = ASCII.firstIndex(of: Array("=?".utf8), in: value),
            ASCII.firstIndex(of: Array("?=".utf8), in: value, from: begin + 2) != nil
        else { return false }
        return value[begin...].count { $0 == .questionMark } >= 4
    }
}
