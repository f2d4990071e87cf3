internal import FundCore

/// What is in a POP3 mailbox: UIDL and LIST put together (RFC 1939 §7, §5).
struct POP3Listing: Equatable {
    struct Entry: Equatable {
        /// The message's number in this session.
        var number: Int
        /// Nil when the server gives none, or the same one to several messages.
        var uidl: UIDL?
        /// Nil when the server does not say.
        var size: UInt64?

        var name: Name { uidl.map(Name.uidl) ?? .number(number) }
    }

    /// Identifies a message over the connections of one run; a number only together with the same size.
    enum Name: Hashable {
        case uidl(UIDL)
        case number(Int)
    }

    private(set) var entries: [Entry] = []
    private(set) var ambiguous = 0

    init(uidl uidls: [[UInt8]], sizes: [[UInt8]]) {
        var byNumber: [Int: Entry] = [:]
        for line in sizes {
            guard let (number, rest) = Self.numbered(line) else { continue }
            let digits = rest.prefix(while: ASCII.isDigit)
            let size = UInt64(String(decoding: digits, as: UTF8.self)).flatMap { $0 <= UInt64(Int64.max) ? $0 : nil }
            byNumber[number] = Entry(number: number, size: size)
        }
        for line in uidls {
            guard let (number, rest) = Self.numbered(line) else { continue }
            byNumber[number, default: Entry(number: number)].uidl = UIDL(rest)
        }
        entries = byNumber.values.sorted { $0.number < $1.number }
        dropAmbiguous()
    }

    /// A UIDL of several messages is dropped: it identifies none of them (RFC 1939 §7 forbids it; it happens).
    private mutating func dropAmbiguous() {
        var counts: [UIDL: Int] = [:]
        for uidl in entries.compactMap(\.uidl) { counts[uidl, default: 0] += 1 }
        for index in entries.indices {
            if let uidl = entries[index].uidl, counts[uidl] ?? 0 > 1 { entries[index].uidl = nil }
            if entries[index].uidl == nil { ambiguous += 1 }
        }
    }

    /// `3 rest` → (3, rest).
    private static func numbered(_ line: [UInt8]) -> (Int, ArraySlice<UInt8>)? {
        let digits = line.prefix(while: ASCII.isDigit)
        guard let number = Int(String(decoding: digits, as: UTF8.self)), number > 0 else { return nil }
        return (number, line[digits.endIndex...].drop { $0 == .space })
    }
}
