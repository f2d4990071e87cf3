internal import FundCore

/// The messages of a mailbox that are still to be fetched, in the order of the server.
struct IMAPQueue {
    struct Entry: Equatable {
        var uid: UID
        /// `RFC822.SIZE`, which some servers estimate, then the bytes that came. Nil where the server cannot tell.
        var size: UInt64?
        /// Position in the mailbox's listing: neighbours there make one range in a command.
        var position: Int
        /// Too large: only the header is fetched, to find the sender.
        var isHeaderOnly = false
        /// It did not come although the server said OK.
        var isMissed = false
        /// How often the connection was lost while it came.
        var attempts = 0
        /// It was not as announced: it is asked for once more after all others.
        var isSecondLook = false

        fileprivate var expectedBytes: UInt64 { size ?? IMAPQueue.usualBytes }
    }

    struct Window {
        var set: String
        var entries: [Entry]
        var bytes: UInt64
    }

    private static let maxEntries = 256
    /// Bytes of a header in which the sender is found.
    static let headerBytes: UInt64 = 64 * 1024
    /// Assumed for a message whose size is not known.
    fileprivate static let usualBytes: UInt64 = 64 * 1024

    private var entries: [Entry] = []
    private var cursor = 0
    /// Asked for one by one, since each may have caused a failure. The next one is the last element.
    private var doubtful: [Entry] = []
    /// Messages to be fetched after all others.
    private var postponed: [Entry] = []

    var count: Int { entries.count - cursor + doubtful.count + postponed.count }
    var isEmpty: Bool { count == 0 }

    /// Ascending by UID.
    mutating func fill(_ new: [Entry]) {
        entries = new
        cursor = 0
        (doubtful, postponed) = ([], [])
    }

    /// Shuffled, so that each run leaves out other messages when it gives up.
    mutating func postponeDoubtful() {
        if doubtful.isEmpty { return }
        postponed += doubtful
        postponed.shuffle()
        doubtful = []
    }

    /// Asked for, but not received: to be asked for again before all others.
    mutating func putBack(_ returned: [Entry]) {
        doubtful += returned.filter { $0.attempts > 0 }.reversed()
        postponed.insert(contentsOf: returned.filter { $0.attempts == 0 && $0.isSecondLook }.reversed(), at: 0)
        let plain = returned.filter { $0.attempts == 0 && !$0.isSecondLook }
        guard !plain.isEmpty else { return }
        entries = plain.sorted { $0.uid < $1.uid } + entries[cursor...]
        cursor = 0
    }

    /// Removes one entry.
    mutating func take(_ uid: UID) -> Entry? { remove { $0.uid == uid }.first }

    /// Removes these entries.
    mutating func remove(where isWanted: (Entry) -> Bool) -> [Entry] {
        let removed = (entries[cursor...] + doubtful + postponed).filter(isWanted)
        entries.removeSubrange(..<cursor)
        cursor = 0
        entries.removeAll(where: isWanted)
        doubtful.removeAll(where: isWanted)
        postponed.removeAll(where: isWanted)
        return removed
    }

    /// The next messages, about `bytes` of them; nil when there are none.
    mutating func nextWindow(bytes limit: UInt64) -> Window? {
        let isAtEnd = cursor == entries.count
        if let entry = doubtful.popLast() ?? (isAtEnd ? postponed.popLast() : nil) {
            return Window(set: "\(entry.uid)", entries: [entry], bytes: entry.expectedBytes)
        }
        if isAtEnd { return nil }
        if entries[cursor].isHeaderOnly {
            defer { cursor += 1 }
            return Window(set: "\(entries[cursor].uid)", entries: [entries[cursor]], bytes: Self.headerBytes)
        }
        let start = cursor
        var set = ""
        var bytes: UInt64 = 0
        while cursor < entries.count, !entries[cursor].isHeaderOnly, cursor - start < Self.maxEntries,
            cursor == start || (bytes < limit && set.utf8.count < UIDSet.maxTextBytes - UIDSet.maxRunBytes)
        {
            let first = cursor
            // A run of neighbours: no UID of another message is between them.
            repeat {
                bytes += entries[cursor].expectedBytes
                cursor += 1
            } while cursor < entries.count && !entries[cursor].isHeaderOnly && cursor - start < Self.maxEntries
                && bytes < limit && entries[cursor].position == entries[cursor - 1].position + 1
            let (low, high) = (entries[first].uid, entries[cursor - 1].uid)
            set += (set.isEmpty ? "" : ",") + (low == high ? "\(low)" : "\(low):\(high)")
        }
        return Window(set: set, entries: Array(entries[start..<cursor]), bytes: bytes)
    }
}
