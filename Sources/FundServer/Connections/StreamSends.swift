import FundCore
internal import Synchronization

/// What the responses of one stream (or of a connection of HTTP/1) hold of their connection's share.
final class StreamSends: Sendable {
    let connection: ClientConnection
    /// Reserved and not written yet.
    private let reserved = Atomic<Int>(0)
    private let isClosedFlag = Atomic<Bool>(false)
    /// Whether bytes can be sent from where they stand in a file: neither over TLS nor over HTTP/2.
    let takesRegions: Bool
    private let regions = Mutex<[StoredRegion]>([])
    private let isRegionExpected = Atomic<Bool>(false)

    init(_ connection: ClientConnection, takesRegions: Bool = false) {
        self.connection = connection
        self.takesRegions = takesRegions
    }

    var isClosed: Bool { isClosedFlag.load(ordering: .acquiring) }

    /// See `ClientConnection.take`. Call it before the bytes are read.
    func take(upTo count: Int) async throws -> Int {
        let granted = try await connection.take(upTo: count, for: self)
        reserve(granted)
        guard !isClosed else {
            release()
            throw CancellationError()
        }
        return granted
    }

    /// Reserves room for a response that is made in memory: those to clients that do not read are bounded for each
    /// network and for all. Waits for room. Throws `busy` after `limit`, `CancellationError` when the stream closes.
    func takeForAnswer(within limit: Duration? = .seconds(5)) async throws {
        let end = limit.map { ContinuousClock.now + $0 }
        var pause = Duration.milliseconds(20)
        while true {
            let missing = connection.answerBytes - reserved.load(ordering: .relaxed)
            if missing <= 0 { return }
            if connection.takeOfNetwork(missing) {
                reserve(missing)
                if isClosed { release() }
                return
            }
            guard !isClosed else { throw CancellationError() }
            if let end, ContinuousClock.now >= end { throw RequestError.busy }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(200))
        }
    }

    /// See `ClientConnection.takeAtOnce`.
    func takeAtOnce(_ count: Int) -> Bool {
        guard connection.takeAtOnce(count) else { return false }
        reserve(count)
        if isClosed { release() }
        return true
    }

    // MARK: Regions

    /// The body of the response that follows begins with a region: its head can wait for it.
    func expectRegion() { isRegionExpected.store(true, ordering: .relaxed) }

    /// Whether that was said since it was asked for the last time.
    func takeExpectation() -> Bool { isRegionExpected.exchange(false, ordering: .relaxed) }

    /// These bytes are sent instead of the next part of the body, which is empty. So they keep their place among the
    /// other parts, whichever way those take to the connection.
    func substitute(_ region: StoredRegion) { regions.withLock { $0.append(region) } }

    func takeRegion() -> StoredRegion? {
        takesRegions ? regions.withLock { $0.isEmpty ? nil : $0.removeFirst() } : nil
    }

    // MARK: Written

    var hasReserved: Bool { reserved.load(ordering: .relaxed) > 0 }

    /// Counts bytes as written, reserved or not. They are returned to the connection when the client has taken them.
    func spend(_ count: Int) {
        let asked = min(reserved.load(ordering: .relaxed), count)
        reserved.subtract(asked, ordering: .relaxed)
        if count > asked { connection.add(count - asked) }
    }

    /// Returns what was reserved and not written.
    func release() {
        guard reserved.load(ordering: .relaxed) > 0 else { return }
        connection.give(reserved.exchange(0, ordering: .relaxed))
    }

    func close() {
        isClosedFlag.store(true, ordering: .releasing)
        release()
        connection.leaveOut(self)
    }

    private func reserve(_ count: Int) { reserved.add(count, ordering: .relaxed) }
}
