internal import MailConnection
internal import FundCore

/// FETCH responses, whose message bytes go to the sink (RFC 3501 §7.4.2).
extension IMAPResponseReader {
    mutating func fetch(_ sequence: UInt32) throws(ConnectionError) -> IMAPFetch {
        var fetch = IMAPFetch(sequence: sequence)
        guard try bytes.next() == .openParenthesis else { throw Self.violation("FETCH without a list") }
        try items(of: &fetch, depth: 0)
        return fetch
    }

    /// Up to and with the closing parenthesis.
    private mutating func items(of fetch: inout IMAPFetch, depth: Int) throws(ConnectionError) {
        guard depth < Self.maxDepth else { throw Self.violation("too many parentheses") }
        while true {
            switch try bytes.peek() {
            case .space: try skip()
            case .closeParenthesis: return try skip()
            case .openParenthesis:  // QUIRK: Domino puts items into parentheses of their own.
                try skip()
                try items(of: &fetch, depth: depth + 1)
            default:
                try item(of: &fetch)
                // A literal length that is off by one is found here.
                let byte = try bytes.peek()
                guard byte == .space || byte == .closeParenthesis else {
                    throw Self.violation("no space after an item")
                }
            }
        }
    }

    private mutating func item(of fetch: inout IMAPFetch) throws(ConnectionError) {
        let name = try itemName()
        guard !name.isEmpty else { throw Self.violation("FETCH without an item") }
        try expectSpace()
        if name.hasPrefix("BODY[") || name == "RFC822" || name == "RFC822.HEADER" || name == "RFC822.TEXT" {
            return try body(name, of: &fetch)
        }
        let value = try value(depth: 0)
        switch name {
        case "UID":
            guard let uid = value.text.flatMap({ UID($0) }), fetch.uid ?? uid == uid else {
                throw Self.violation("FETCH with a wrong UID")
            }
            fetch.uid = uid
        case "RFC822.SIZE":
            // QUIRK: NIL or a negative number, of a message that the server cannot read; the others must flow.
            guard value.number != nil || value == .null || value.text?.first == "-" else {
                throw Self.violation("FETCH with a wrong size")
            }
            fetch.size = value.number
        case "FLAGS":
            guard case .list(let flags) = value else { throw Self.violation("FLAGS without a list") }
            fetch.flags = flags.compactMap(\.text)
        case "INTERNALDATE": fetch.receivedAt = value.text.flatMap(IMAPDate.time)
        default: break
        }
    }

    /// `UID`, `BODY[HEADER.FIELDS (Date)]<0>`; in capitals.
    private mutating func itemName() throws(ConnectionError) -> String {
        var name: [UInt8] = []
        var isInBrackets = false
        while true {
            let byte = try bytes.peek()
            if byte.isLineEnd || byte == 0 || name.count > 1024 { throw Self.violation("FETCH is cut off") }
            if !isInBrackets, byte == .space || byte.isParenthesis { break }
            if byte == UInt8(ascii: "[") { isInBrackets = true }
            if byte == UInt8(ascii: "]") { isInBrackets = false }
            name.append(byte)
            try skip()
        }
        return String(decoding: name, as: UTF8.self).uppercased()
    }

    private mutating func body(_ name: String, of fetch: inout IMAPFetch) throws(ConnectionError) {
        let (section, origin) = try Self.section(name)
        if case .received(section, _, _) = fetch.body { throw Self.violation("FETCH with two bodies") }
        let first = try bytes.peek()
        if first == .closeParenthesis {
            // QUIRK: Yandex writes nothing at all where it has nothing.
            fetch.body = .unavailable
            return
        }
        if first == UInt8(ascii: "N") || first == UInt8(ascii: "n") {
            guard try value(depth: 0) == .null else { throw Self.violation("a body that is no string") }
            fetch.body = .unavailable
            return
        }
        guard let sink else { throw Self.violation("a body that nobody asked for") }
        if first == .quote {
            let text = try quoted()
            try sink.beginBody(uid: fetch.uid, section: section, origin: origin, size: UInt64(text.count))
            try text[...].withBytes { (chunk) throws(ConnectionError) in try sink.appendBody(chunk) }
            fetch.body = .received(section: section, origin: origin, size: UInt64(text.count))
            return
        }
        let size = try literalSize()
        try sink.beginBody(uid: fetch.uid, section: section, origin: origin, size: size)
        bytes.answerAllowance += transferTime(size)
        var left = size
        while left > 0 {
            left -= try bytes.withAvailable(limit: left) { chunk throws(ConnectionError) in
                try sink.appendBody(chunk)
                return (chunk.count, UInt64(chunk.count))
            }
        }
        fetch.body = .received(section: section, origin: origin, size: size)
    }

    /// `BODY[HEADER]<12>` → (`BODY[HEADER]`, 12).
    private static func section(_ name: String) throws(ConnectionError) -> (String, UInt64?) {
        guard name.last == ">", let open = name.lastIndex(of: "<") else { return (name, nil) }
        guard let origin = UInt64(name[name.index(after: open)...].dropLast()) else {
            throw violation("a body with a wrong origin")
        }
        return (String(name[..<open]), origin)
    }
}

/// `date-time` of RFC 3501 §9, as INTERNALDATE gives it: ` 7-Jul-1996 02:44:25 -0700`.
enum IMAPDate {
    /// Nil when it is not a date.
    static func time(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 3 else { return nil }
        let date = words[0].split(separator: "-")
        let time = words[1].split(separator: ":").compactMap { Int64($0) }
        guard date.count == 3, time.count == 3, let day = Int(date[0]), let year = Int(date[2]),
            let month = CivilDate.monthNames.firstIndex(of: date[1].lowercased()), let zone = Int64(words[2]),
            (1...31).contains(day), (1...9999).contains(year), (0...23).contains(time[0]), (0...59).contains(time[1]),
            (0...60).contains(time[2]), (-9999...9999).contains(zone)
        else { return nil }
        let seconds = time[0] * 3600 + time[1] * 60 + time[2]
        let days = CivilDate(year: year, month: month + 1, day: day).daysSince1970
        return Timestamp(Int64(days * CivilDate.secondsPerDay) + seconds - (zone / 100 * 60 + zone % 100) * 60)
    }
}
