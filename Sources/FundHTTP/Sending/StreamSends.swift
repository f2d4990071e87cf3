package import FundCore
internal import Synchronization

/// Bytes that the responses of one stream (or of a connection of HTTP/1) hold of their connection's share.
package final class StreamSends: Sendable {
    /// Responses up to this size do not count on HTTP/1, where a connection has one at a time.
    package static let maxUncounted = 64 * 1024

    package let connection: ClientConnection
    /// Bytes reserved and not written yet.
    private let reserved = Atomic<Int>(0)
    private let isClosedFlag = Atomic<Bool>(false)
    private let payerState: Mutex<SendPayer>
    /// Whether bytes can be sent from where they stand in a file: neither over TLS nor over HTTP/2.
    package let takesRegions: Bool
    private let regions = Mutex<[StoredRegion]>([])
    private let isRegionExpected = Atomic<Bool>(false)
    private let isInPieces = Atomic<Bool>(false)
    /// How often an answer looked for room and found none.
    let refusals = Atomic<Int>(0)

    init(_ connection: ClientConnection, takesRegions: Bool = false) {
        self.connection = connection
        self.takesRegions = takesRegions
        payerState = Mutex(connection.stranger)
    }

    // MARK: Payer

    /// Payer of the response to the request under way.
    var payer: SendPayer { payerState.withLock { $0 } }

    /// Notes that a request began whose user is not known yet.
    /// - Parameter address: of the client behind a trusted proxy; nil for that of the connection.
    package func requestBegan(from address: ClientAddress?) {
        charge(address.map(connection.stranger(at:)) ?? connection.stranger)
    }

    /// Notes the authenticated sender of the request.
    package func noteSender(_ sender: SenderID) {
        let former = payer
        if former.sender != sender { charge(connection.payer(former, as: sender)) }
    }

    /// Has what is reserved count for the new payer; what is written stays with the one before.
    private func charge(_ payer: SendPayer) {
        let former = payerState.withLock { former in
            defer { former = payer }
            return former
        }
        let count = reserved.load(ordering: .relaxed)
        if count > 0 { connection.move(count, from: former, to: payer) }
    }

    // MARK: Room

    var isClosed: Bool { isClosedFlag.load(ordering: .acquiring) }

    /// See `ClientConnection.take`. Call it before the bytes are read.
    package func take(upTo count: Int) async throws -> Int {
        let granted = try await connection.take(upTo: count, for: self)
        reserve(granted)
        guard !isClosed else {
            release()
            throw CancellationError()
        }
        return granted
    }

    /// Reserves room for a response that is made in memory: those to clients that do not read are bounded for each
    /// network, each user and all. Waits for room. Throws `busy` after `limit`, `CancellationError` when the stream
    /// closes.
    /// - Parameter count: bytes of the response; nil where they are not known, and nearly always few.
    package func takeForAnswer(of count: Int? = nil, within limit: Duration? = .seconds(5)) async throws {
        let end = limit.map { ContinuousClock.now + $0 }
        var pause = Duration.milliseconds(20)
        while true {
            let payer = payer
            let missing = (count ?? connection.answerBytes(for: payer)) - reserved.load(ordering: .relaxed)
            if missing <= 0 { return }
            guard connection.canHold(missing, for: payer) else { throw RequestError.busy }
            if connection.takeOfNetwork(missing, for: payer) {
                reserve(missing)
                if isClosed { release() }
                return
            }
            refusals.add(1, ordering: .relaxed)
            guard !isClosed else { throw CancellationError() }
            if let end, ContinuousClock.now >= end { throw RequestError.busy }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(200))
        }
    }

    /// See `ClientConnection.takeAtOnce`.
    package func takeAtOnce(_ count: Int) -> Bool {
        guard connection.takeAtOnce(count, for: payer) else { return false }
        reserve(count)
        if isClosed { release() }
        return true
    }

    /// Reserves what a response in memory takes beyond what was reserved before it was made, without waiting: it would
    /// be held meanwhile. False when there is no room.
    package func settle(_ count: Int) -> Bool {
        let missing = count - reserved.load(ordering: .relaxed)
        guard missing > 0 else { return true }
        guard connection.takeOfNetwork(missing, for: payer) else { return false }
        reserve(missing)
        if isClosed { release() }
        return true
    }

    /// Reserves what a response in memory takes, whether or not there is room: until it is sent, other responses of its
    /// payer find less.
    package func hold(_ count: Int) {
        let missing = count - reserved.load(ordering: .relaxed)
        guard missing > 0 else { return }
        connection.add(missing, for: payer)
        reserve(missing)
        if isClosed { release() }
    }

    /// Notes that the body that follows reserves room for its pieces itself.
    package func expectPieces() { isInPieces.store(true, ordering: .relaxed) }

    /// Whether that was said since it was asked for the last time.
    package func takePieces() -> Bool { isInPieces.exchange(false, ordering: .relaxed) }

    // MARK: Regions

    /// The body of the response that follows begins with a region: its head can wait for it.
    package func expectRegion() { isRegionExpected.store(true, ordering: .relaxed) }

    /// Whether that was said since it was asked for the last time.
    func takeExpectation() -> Bool { isRegionExpected.exchange(false, ordering: .relaxed) }

    /// These bytes are sent instead of the next part of the body, which is empty. So they keep their place among the
    /// other parts, whichever way those take to the connection.
    package func substitute(_ region: StoredRegion) { regions.withLock { $0.append(region) } }

    func takeRegion() -> StoredRegion? {
        takesRegions ? regions.withLock { $0.isEmpty ? nil : $0.removeFirst() } : nil
    }

    // MARK: Written

    package var hasReserved: Bool { reserved.load(ordering: .relaxed) > 0 }

    /// Counts bytes as written, reserved or not. They are returned to the connection when the client has taken them.
    func spend(_ count: Int) {
        let asked = min(reserved.load(ordering: .relaxed), count)
        reserved.subtract(asked, ordering: .relaxed)
        if count > asked { connection.add(count - asked, for: payer) }
    }

    /// Returns what was reserved and not written.
    package func release() {
        guard reserved.load(ordering: .relaxed) > 0 else { return }
        connection.give(reserved.exchange(0, ordering: .relaxed), for: payer)
    }

    func close() {
        isClosedFlag.store(true, ordering: .releasing)
        release()
        connection.leaveOut(self)
    }

    private func reserve(_ count: Int) { reserved.add(count, ordering: .relaxed) }
}
