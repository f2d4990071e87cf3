internal import MailConnection
internal import FundCore

/// Reads answers of an IMAP server exactly, byte for byte (RFC 3501 §9), in bounded memory.
///
/// What the grammar does not allow is a `protocolViolation`, and the connection is not used again: after a wrong length
/// responses and message bytes cannot be told apart. Known deviations that keep the structure are accepted.
struct IMAPResponseReader {
    /// Limit of a status text or a capability list; real ones stay below 2 KB.
    static let maxLineBytes = 64 * 1024
    /// Limit of a response without message bytes.
    static let maxResponseBytes = 1024 * 1024
    /// Eight bytes for each message of a mailbox of two million.
    static let maxSearchBytes = 16 * 1024 * 1024
    static let maxDepth = 32

    let bytes: ByteReader
    weak var sink: (any IMAPBodySink)?
    /// How long so many bytes of a message may take.
    var transferTime: (UInt64) -> Duration = { _ in .zero }
    /// Bytes that the answer may still have, without message bytes.
    var budget = 0

    init(bytes: ByteReader) { self.bytes = bytes }

    static func violation(_ problem: String) -> ConnectionError {
        ConnectionError(.protocolViolation, during: "reading an answer", problem)
    }

    mutating func next() throws(ConnectionError) -> IMAPResponse {
        budget = Self.maxResponseBytes
        let first = try readToken()
        switch first {
        case "*":
            try expectSpace()
            return try untagged()
        case "+":
            _ = try bytes.line(limit: Self.maxLineBytes)
            return .continuation
        default:
            guard !first.isEmpty else { throw Self.violation("an empty line") }
            if first.hasPrefix("[") {
                // QUIRK: Exchange sends `[COPYUID …]` alone on a line.
                try skipRest()
                return .other(first)
            }
            try expectSpace()
            guard let kind = IMAPStatus.Kind(rawValue: try readToken().uppercased()), kind != .preauth, kind != .bye
            else {
                throw Self.violation("neither a tag nor an answer")
            }
            return .tagged(IMAPTag(text: first), try status(kind))
        }
    }

    mutating func untagged() throws(ConnectionError) -> IMAPResponse {
        let word = try readToken().uppercased()
        if let number = UInt32(word) {
            try expectSpace()
            return try numbered(number, try readToken().uppercased())
        }
        if let kind = IMAPStatus.Kind(rawValue: word) { return .status(try status(kind)) }
        let response: IMAPResponse
        switch word {
        case "CAPABILITY":
            let line = String(decoding: try bytes.line(limit: Self.maxLineBytes), as: UTF8.self)
            return .capability(line.split(separator: " ").map { $0.uppercased() })
        case "SEARCH": return .search(try search())
        case "LIST", "LSUB", "XLIST": response = .list(try folder())
        case "MYRIGHTS":
            try expectSpace()
            _ = try value(depth: 0)
            try expectSpace()
            response = .rights(try value(depth: 0).text ?? "")
        case "NAMESPACE":
            try expectSpace()
            response = .namespace(Self.namespace(try value(depth: 0)))
        case "QUOTA":
            try expectSpace()
            _ = try value(depth: 0)
            try expectSpace()
            // QUIRK: Courier leaves the list out where there is no quota.
            response = .quota(try bytes.peek() == .openParenthesis ? Self.quota(try value(depth: 0)) : [:])
        case "": throw Self.violation("an untagged answer without a name")
        default: response = .other(word)
        }
        try skipRest()
        return response
    }

    mutating func numbered(_ number: UInt32, _ word: String) throws(ConnectionError) -> IMAPResponse {
        if word == "FETCH" {
            try expectSpace()
            let fetch = try fetch(number)
            try expectEnd()
            return .fetch(fetch)
        }
        try skipRest()
        return word == "EXISTS" ? .exists(number) : word == "EXPUNGE" ? .expunge(number) : .other(word)
    }

    // MARK: Lines

    /// The rest of a status response. QUIRK: some servers leave out the text and even the space (RFC 3501 §7.1).
    mutating func status(_ kind: IMAPStatus.Kind) throws(ConnectionError) -> IMAPStatus {
        var line = try bytes.line(limit: Self.maxLineBytes).drop { $0 == .space }
        var status = IMAPStatus(kind: kind)
        if line.first == UInt8(ascii: "["), let close = Self.closingBracket(line) {
            let code = line[(line.startIndex + 1)..<close]
            let name = code.prefix { $0 != .space }
            status.code = String(decoding: name, as: UTF8.self).uppercased()
            status.argument = Self.plain(code.dropFirst(name.count + 1))
            line = line[(close + 1)...].drop { $0 == .space }
        }
        status.text = Self.plain(line)
        return status
    }

    /// Not one inside a quoted string, as in `[BADCHARSET ("]")]`.
    static func closingBracket(_ line: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for index in line.indices {
            if line[index] == .quote { isQuoted.toggle() }
            if line[index] == UInt8(ascii: "]"), !isQuoted { return index }
        }
        return line.firstIndex(of: UInt8(ascii: "]"))
    }

    static func plain(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { $0.isControl ? UInt8.space : $0 }, as: UTF8.self)
    }

    mutating func search() throws(ConnectionError) -> [UID] {
        budget = Self.maxSearchBytes
        var found: [UID] = []
        while true {
            switch try bytes.peek() {
            case .space: try skip()
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard let number = UID(try readToken()) else { throw Self.violation("a number out of range") }
                found.append(number)
            case .openParenthesis:  // QUIRK: `(MODSEQ n)` at the end (RFC 7162 §3.1.5)
                _ = try value(depth: 0)
            default:
                try expectEnd()
                return found
            }
        }
    }

    mutating func folder() throws(ConnectionError) -> IMAPFolder {
        var folder = IMAPFolder()
        try expectSpace()
        guard case .list(let attributes) = try value(depth: 0) else { throw Self.violation("LIST without attributes") }
        folder.attributes = attributes.compactMap(\.text)
        try expectSpace()
        folder.delimiter = try value(depth: 0).text
        try expectSpace()
        // A folder may be called NIL: in this place it is a name.
        folder.name = try value(depth: 0).text ?? "NIL"
        return folder
    }

    /// Skips the rest of a response, literals included.
    mutating func skipRest() throws(ConnectionError) {
        while true {
            let line = try bytes.line(limit: Self.maxLineBytes)
            try spend(line.count + 2)
            guard line.last == UInt8(ascii: "}"), let open = line.lastIndex(of: UInt8(ascii: "{")),
                open + 1 < line.count - 1
            else { return }
            let digits = line[(open + 1)..<(line.count - 1)]
            let number = digits.last == .plus ? digits.dropLast() : digits
            guard !number.isEmpty, number.allSatisfy(ASCII.isDigit) else { return }
            try skipLiteral(try Self.size(number))
        }
    }

    mutating func skipLiteral(_ size: UInt64) throws(ConnectionError) {
        guard size <= UInt64(max(budget, 0)) else { throw Self.violation("an answer without end") }
        try spend(Int(size))
        var left = size
        while left > 0 {
            left -= try bytes.withAvailable(limit: left) { chunk throws(ConnectionError) in
                (chunk.count, UInt64(chunk.count))
            }
        }
    }

    // MARK: Bytes

    /// Up to a space, a parenthesis or the end of the line, none of which is taken.
    mutating func readToken() throws(ConnectionError) -> String {
        var token: [UInt8] = []
        while true {
            let byte = try bytes.peek()
            if byte == .space || byte.isParenthesis || byte.isLineEnd { break }
            guard byte != 0, byte != .quote, token.count < 4096 else {
                throw Self.violation("a word that is none")
            }
            token.append(byte)
            try skip()
        }
        return String(decoding: token, as: UTF8.self)
    }

    mutating func skip() throws(ConnectionError) {
        _ = try bytes.next()
        try spend(1)
    }

    mutating func spend(_ count: Int) throws(ConnectionError) {
        budget -= count
        guard budget >= 0 else { throw Self.violation("an answer without end") }
    }

    /// QUIRK: one space where some servers write several, and none before the end of a line.
    mutating func expectSpace() throws(ConnectionError) {
        let byte = try bytes.peek()
        guard byte == .space || byte.isLineEnd else { throw Self.violation("a space is missing") }
        while try bytes.peek() == .space { try skip() }
    }

    /// QUIRK: spaces before the line end, and a bare LF as one.
    mutating func expectEnd() throws(ConnectionError) {
        while try bytes.peek() == .space { try skip() }
        let byte = try bytes.next()
        if byte == .lf { return }
        guard byte == .cr, try bytes.next() == .lf else {
            throw Self.violation("an answer does not end where it should")
        }
    }
}
