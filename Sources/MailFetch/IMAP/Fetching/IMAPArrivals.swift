internal import FundCore

/// Gives messages in the order of the mailbox, although servers may answer two commands at the same time. So it does
/// not depend on chance which of two equal messages is the duplicate. A message that waits for an earlier one waits on
/// disk.
struct IMAPArrivals {
    private(set) var expected: [UID: IMAPQueue.Entry] = [:]
    private var ready: [(uid: UID, message: PendingMessage)] = []  // ascending
    /// UIDs in the order in which they were asked for; those before `head` are settled.
    private var asked: [UID] = []
    private var head = 0

    var hasReady: Bool { !ready.isEmpty }

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
