internal import FundCore

/// Messages that are to be fetched, were asked for, or came.
struct IMAPFlight {
    /// Bytes asked for ahead: at first enough for a fast connection, then as much as comes in about a second.
    private static let aheadBytes: ClosedRange<UInt64> = 8 << 20...32 << 20
    /// Windows under way at most, for mailboxes of tiny messages.
    private static let maxWindows = 4

    var queue = IMAPQueue()
    var arrivals = IMAPArrivals()
    private var windows: [IMAPTag: IMAPQueue.Window] = [:]
    /// To be asked for in another way once the command that they came with is done.
    private var later: [IMAPQueue.Entry] = []
    private var aheadBytes = IMAPFlight.aheadBytes.lowerBound
    private var windowStart = ContinuousClock.now

    /// All that was asked for has come.
    var isIdle: Bool { windows.isEmpty }
    /// Nothing is left to be asked for either.
    var isDone: Bool { windows.isEmpty && queue.isEmpty }

    /// The next message for which no earlier one is under way.
    mutating func next() -> PendingMessage? {
        guard var message = arrivals.next() else { return nil }
        message.left = queue.count + arrivals.count
        return message
    }

    /// The next window when there is room for one.
    mutating func nextWindow() -> IMAPQueue.Window? {
        let asked = windows.values.reduce(0) { $0 + $1.bytes }
        guard windows.count < Self.maxWindows, asked < aheadBytes else { return nil }
        return queue.nextWindow(bytes: aheadBytes / 2)
    }

    mutating func begin(_ window: IMAPQueue.Window, as tag: IMAPTag) {
        if windows.isEmpty { windowStart = .now }
        arrivals.expect(window.entries)
        windows[tag] = window
    }

    /// The window that the server is done with, and what of it did not come. Nil for the tag of another command.
    mutating func end(_ tag: IMAPTag) -> (window: IMAPQueue.Window, missing: [IMAPQueue.Entry])? {
        guard let window = windows.removeValue(forKey: tag) else { return nil }
        defer {
            let ended = Set(window.entries.map(\.uid))
            queue.putBack(later.filter { ended.contains($0.uid) })
            later.removeAll { ended.contains($0.uid) }
        }
        if .now - windowStart < .seconds(1) { aheadBytes = min(aheadBytes * 2, Self.aheadBytes.upperBound) }
        windowStart = .now
        return (window, window.entries.filter { arrivals.settle($0.uid) != nil })
    }

    /// For a message that came and is to be asked for in another way.
    mutating func askAgain(_ entry: IMAPQueue.Entry) {
        if windows.values.contains(where: { $0.entries.contains { $0.uid == entry.uid } }) {
            later.append(entry)
        } else {
            queue.putBack([entry])
        }
    }

    /// Returns the messages that were asked for and did not come, ascending by UID.
    mutating func connectionLost() -> [IMAPQueue.Entry] {
        windows = [:]
        queue.putBack(later)
        later = []
        return arrivals.abandon()
    }

    /// Nothing is wanted any more.
    mutating func forget() {
        _ = connectionLost()
        queue.fill([])
    }
}

/// Gives messages in the order of the mailbox, although servers may answer two commands at the same time: chance does
/// not decide which of two equal messages is the duplicate. One that waits for an earlier one waits on disk.
struct IMAPArrivals {
    private(set) var expected: [UID: IMAPQueue.Entry] = [:]
    private var ready: [(uid: UID, message: PendingMessage)] = []  // ascending
    /// UIDs in the order in which they were asked for; those before `head` are settled.
    private var asked: [UID] = []
    private var head = 0

    var hasReady: Bool { !ready.isEmpty }
    /// Number of messages that came or are waited for.
    var count: Int { ready.count + expected.count }

    mutating func expect(_ entries: [IMAPQueue.Entry]) {
        for entry in entries { expected[entry.uid] = entry }
        asked += entries.map(\.uid)
    }

    /// Ends the wait for a message: it came, or it will not come. Nil when it was not asked for.
    mutating func settle(_ uid: UID) -> IMAPQueue.Entry? { expected.removeValue(forKey: uid) }

    /// Ends the wait for all messages. Ascending by UID.
    mutating func abandon() -> [IMAPQueue.Entry] {
        defer { (expected, asked, head) = ([:], [], 0) }
        return expected.values.sorted { $0.uid < $1.uid }
    }

    mutating func add(_ message: PendingMessage, uid: UID) {
        let index = ready.lastIndex { $0.uid <= uid }.map { $0 + 1 } ?? 0
        ready.insert((uid, message), at: index)
    }

    mutating func dropReady() { ready = [] }

    /// The next message for which no earlier one is under way.
    mutating func next() -> PendingMessage? {
        guard let first = ready.first else { return nil }
        while head < asked.count, expected[asked[head]] == nil { head += 1 }
        if head == asked.count {
            (asked, head) = ([], 0)
        } else if asked[head] < first.uid {
            return nil
        }
        return ready.removeFirst().message
    }
}
