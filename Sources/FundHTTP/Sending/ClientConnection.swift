internal import NIOCore
internal import Synchronization

/// One connection: whether it is busy, whether a user signed in over it, and how much memory it takes.
package final class ClientConnection: Sendable {
    /// Upper bound for the windows of all uploads of a connection, see `UploadWindow`.
    private static let maxWindowBytes = 16 * 1024 * 1024

    private struct Waiting {
        var count: Int
        var stream: StreamSends
        var continuation: CheckedContinuation<Int?, Never>
    }

    private struct Unsent {
        /// Bytes that are read, or about to be, and that the client has not read yet.
        var held = 0
        var waiting: [Waiting] = []
        var isClosed = false
    }

    /// IP address of the other end; empty when unknown.
    let peer: String
    let address: ClientAddress
    private let channel: any Channel
    private let budget: SendBudget
    /// A client of this connection's network, as long as no user of a request is known.
    let stranger: SendPayer
    private let unsent = Mutex(Unsent())
    private let requests = Atomic<Int>(0)
    private let unread = Atomic<Int>(0)
    private let windowBytes = Atomic<Int>(0)
    private let isKnownFlag = Atomic<Bool>(false)

    init(_ channel: any Channel, from peer: String, _ address: ClientAddress, budget: SendBudget) {
        self.channel = channel
        self.peer = peer
        self.address = address
        self.budget = budget
        stranger = budget.payer(at: address)
    }

    /// The payer behind a proxy, where the address is not that of the connection.
    func stranger(at address: ClientAddress) -> SendPayer { budget.payer(at: address) }

    func payer(_ payer: SendPayer, as sender: SenderID) -> SendPayer { budget.payer(payer, as: sender) }

    /// Moves bytes that are held from one payer to another.
    func move(_ count: Int, from former: SendPayer, to payer: SendPayer) {
        former.add(-count)
        payer.add(count)
    }

    func close() { channel.close(promise: nil) }

    // MARK: Use

    /// Whether a request is not answered yet, or a response is not completely sent.
    var isBusy: Bool { requests.load(ordering: .relaxed) > 0 || unread.load(ordering: .relaxed) > 0 }

    func requestBegan() { requests.add(1, ordering: .relaxed) }
    func requestEnded() { requests.subtract(1, ordering: .relaxed) }

    /// Called when a piece of a response is written and when the client has taken it.
    func writeBegan() { unread.add(1, ordering: .relaxed) }
    func writeEnded() { unread.subtract(1, ordering: .relaxed) }

    /// True once: at the first authenticated request of this connection.
    func becomesKnown() -> Bool {
        !isKnownFlag.load(ordering: .relaxed) && !isKnownFlag.exchange(true, ordering: .relaxed)
    }

    // MARK: Answers

    /// Room for a response that is made in memory: nearly all are smaller, also a page of a list.
    private static let answerBytes = 1024 * 1024
    /// Room for a response to a client without a user: a form, or an error.
    private static let strangersAnswerBytes = 64 * 1024

    func answerBytes(for payer: SendPayer) -> Int {
        min(payer.sender == nil ? Self.strangersAnswerBytes : Self.answerBytes, budget.mostBytes(of: payer) / 2)
    }

    /// Whether there may be room for so many bytes at some time.
    func canHold(_ count: Int, for payer: SendPayer) -> Bool { count <= budget.mostBytes(of: payer) }

    /// Bytes held now.
    var held: Int { unsent.withLock { $0.held } }

    /// Count of the calls that wait for room.
    var waitingCount: Int { unsent.withLock { $0.waiting.count } }

    /// Reserves room for up to `count` bytes that are to be read and sent. Returns for how many, at least one unless
    /// `count` is 0. Waits until the client has read enough of what was sent before. Throws `CancellationError` when
    /// the connection or the stream is closed.
    func take(upTo count: Int, for stream: StreamSends) async throws -> Int {
        if let granted = unsent.withLock({ takeInTurn(count, for: stream, &$0) }) { return granted }
        let granted = await withCheckedContinuation { continuation in
            let answer: Int?? = unsent.withLock { unsent in
                // A closed stream is marked before `leaveOut` looks for its entry: the mark is seen here, or the entry
                // there.
                if unsent.isClosed || stream.isClosed { return .some(nil) }
                if let granted = takeInTurn(count, for: stream, &unsent) { return granted }
                unsent.waiting.append(Waiting(count: count, stream: stream, continuation: continuation))
                return .none
            }
            if let answer { continuation.resume(returning: answer) }
        }
        guard let granted else { throw CancellationError() }
        return granted
    }

    /// Nil when others wait already, when there is no room, and when the connection is closed.
    private func takeInTurn(_ count: Int, for stream: StreamSends, _ unsent: inout Unsent) -> Int? {
        unsent.waiting.isEmpty && !unsent.isClosed ? grant(count, stream.payer, &unsent) : nil
    }

    /// Reserves room for all of `count` bytes without waiting. False when there is none.
    func takeAtOnce(_ count: Int, for payer: SendPayer) -> Bool {
        unsent.withLock { unsent in
            guard !unsent.isClosed, unsent.waiting.isEmpty, unsent.held + count <= budget.maxBytesOfConnection,
                budget.hasRoom(for: count, payer)
            else { return false }
            hold(count, payer, &unsent)
            return true
        }
    }

    /// Reserves room at once, without the bound of the connection: slow downloads must not hold up the lists beside
    /// them.
    func takeOfNetwork(_ count: Int, for payer: SendPayer) -> Bool {
        unsent.withLock { unsent in
            guard !unsent.isClosed, budget.hasRoom(for: count, payer) else { return false }
            hold(count, payer, &unsent)
            return true
        }
    }

    /// Counts bytes that are sent without a reservation.
    func add(_ count: Int, for payer: SendPayer) { unsent.withLock { hold(count, payer, &$0) } }

    /// Returns bytes that the client has read, or that are not sent.
    func give(_ count: Int, for payer: SendPayer) {
        guard count > 0 else { return }
        budget.subtract(count, payer)
        unsent.withLock { $0.held -= count }
        wakeWaiting()
    }

    private func wakeWaiting() {
        let ready = unsent.withLock { unsent in
            var ready: [(Waiting, Int)] = []
            while let first = unsent.waiting.first, let granted = grant(first.count, first.stream.payer, &unsent) {
                ready.append((unsent.waiting.removeFirst(), granted))
            }
            return ready
        }
        for (waiting, granted) in ready { waiting.continuation.resume(returning: granted) }
    }

    /// Ends the waits of a closed stream. Otherwise a client could make the server hold as many as it opens and resets.
    func leaveOut(_ stream: StreamSends) {
        let left = unsent.withLock { unsent in
            let left = unsent.waiting.filter { $0.stream === stream }
            if !left.isEmpty { unsent.waiting.removeAll { $0.stream === stream } }
            return left
        }
        for entry in left { entry.continuation.resume(returning: nil) }
        // The next one may ask for less.
        if !left.isEmpty { wakeWaiting() }
    }

    /// The connection is closed: ends all waits.
    func ended() {
        let waiting = unsent.withLock { unsent in
            unsent.isClosed = true
            defer { unsent.waiting = [] }
            return unsent.waiting
        }
        for entry in waiting { entry.continuation.resume(returning: nil) }
    }

    /// Grants smaller pieces the less is left of the connection's share, so that streams progress beside stalled ones.
    private func grant(_ count: Int, _ payer: SendPayer, _ unsent: inout Unsent) -> Int? {
        let rest = budget.maxBytesOfConnection - unsent.held
        var granted = min(count, max(SendBudget.minPiece, rest / 4))
        if granted > rest || !budget.hasRoom(for: granted, payer) {
            guard unsent.held == 0 else { return nil }
            granted = min(count, SendBudget.minPiece)
        }
        hold(granted, payer, &unsent)
        return granted
    }

    private func hold(_ count: Int, _ payer: SendPayer, _ unsent: inout Unsent) {
        unsent.held += count
        budget.add(count, payer)
    }

    // MARK: Uploads

    /// Reserves an upload window. False when the uploads of this connection have enough.
    func takeWindow(_ count: Int) -> Bool {
        guard windowBytes.add(count, ordering: .relaxed).newValue <= Self.maxWindowBytes else {
            giveWindow(count)
            return false
        }
        return true
    }

    func giveWindow(_ count: Int) { windowBytes.subtract(count, ordering: .relaxed) }
}
