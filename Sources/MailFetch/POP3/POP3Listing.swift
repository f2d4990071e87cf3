internal import FundCore

/// The list of a POP3 mailbox: UIDL and LIST put together (RFC 1939 §7, §5).
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

/// The name of a message in a POP3 mailbox: 1 to 70 printable characters (RFC 1939 §7); longer ones are accepted.
struct UIDL: Hashable, Sendable, CustomStringConvertible {
    private static let maxBytes = 512

    let text: String

    /// The word at the start of `bytes`; nil when there is none, or a longer one than `maxBytes`.
    init?(_ bytes: some Sequence<UInt8>) {
        let word = bytes.prefix(while: ASCII.isVisible).prefix(Self.maxBytes + 1)
        guard (1...Self.maxBytes).contains(word.count) else { return nil }
        text = String(decoding: Array(word), as: UTF8.self)
    }

    var description: String { text }
}

/// Where a message is in a POP3 mailbox: its UIDL, or, known once it was fetched, the digest of its bytes.
enum POP3Place: Hashable {
    case uidl(UIDL)
    case digest(ContentDigest)

    private static let digestMark = "sha256:"

    var text: String {
        switch self {
        case .uidl(let uidl): uidl.text
        case .digest(let digest): Self.digestMark + digest.hex
        }
    }

    init?(_ text: String) {
        let digest = ContentDigest(hex: String(text.dropFirst(Self.digestMark.count)))
        if text.hasPrefix(Self.digestMark), let digest {
            self = .digest(digest)
        } else if let uidl = UIDL(text.utf8), uidl.text == text {
            self = .uidl(uidl)
        } else {
            return nil
        }
    }
}
