internal import FundCore

/// A number of an IMAP mailbox: 1 to 4294967295 (`nz-number` of RFC 3501 §9). `Kind` says of what.
struct IMAPNumber<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    let value: UInt32

    static var first: Self { Self(unchecked: 1) }

    /// Nil for 0.
    init?(_ value: UInt32) {
        guard value > 0 else { return nil }
        self.value = value
    }

    /// Nil unless `text` is such a number: digits and nothing else, no sign.
    init?(_ text: some StringProtocol) {
        guard text.utf8.allSatisfy(ASCII.isDigit), let value = UInt32(text) else { return nil }
        self.init(value)
    }

    private init(unchecked value: UInt32) { self.value = value }

    /// Nil after the largest.
    var next: Self? { Self(value &+ 1) }
    var description: String { "\(value)" }

    static func < (a: Self, b: Self) -> Bool { a.value < b.value }
}

/// Identifies a message of an IMAP mailbox as long as its `UIDValidity` stays (RFC 3501 §2.3.1.1).
typealias UID = IMAPNumber<IMAPFetch>

/// The generation of a mailbox's UIDs: when it changes, every UID may mean another message (RFC 3501 §2.3.1.1).
typealias UIDValidity = IMAPNumber<IMAPMailboxState>

/// Where a message is in an IMAP mailbox: `uidvalidity/uid` (RFC 3501 §2.3.1.1). A server may not use one twice.
struct IMAPPlace: Hashable {
    var epoch: UIDValidity
    var uid: UID

    var text: String { "\(epoch)/\(uid)" }
}

extension IMAPPlace {
    init?(_ text: some StringProtocol) {
        guard let slash = text.firstIndex(of: "/"), let epoch = UIDValidity(text[..<slash]),
            let uid = UID(text[text.index(after: slash)...])
        else { return nil }
        self.init(epoch: epoch, uid: uid)
    }
}

/// UIDs as commands write them: `3,7:9` (RFC 3501 §9 `sequence-set`).
enum UIDSet {
    /// RFC 2683 §3.2.1.5: a command should stay below 1,000 octets.
    static let maxTextBytes = 900
    /// The longest run: `,4294967294:4294967295`.
    static let maxRunBytes = 22

    /// The sets that name exactly these, which come ascending, each short enough for a command.
    static func texts(_ uids: some Sequence<UID>) -> [(text: String, uids: [UID])] {
        var sets: [(String, [UID])] = []
        var (text, members): (String, [UID]) = ("", [])
        var run: (first: UID, last: UID)?
        func close() {
            guard let ended = run else { return }
            text += (text.isEmpty ? "" : ",")
            text += ended.first == ended.last ? "\(ended.first)" : "\(ended.first):\(ended.last)"
            run = nil
        }
        for uid in uids {
            if let open = run, open.last.next == uid {
                run = (open.first, uid)
            } else {
                close()
                if text.utf8.count > maxTextBytes - maxRunBytes {
                    sets.append((text, members))
                    (text, members) = ("", [])
                }
                run = (uid, uid)
            }
            members.append(uid)
        }
        close()
        if !text.isEmpty { sets.append((text, members)) }
        return sets
    }
}
