internal import Dispatch
internal import FundCore
internal import Synchronization

/// Connections to one database, each used by one thread at a time.
///
/// A connection is looked at before it is used: one that the server or a firewall ended meanwhile is replaced by a new
/// one, and costs no request its time-out. While no server answers, each try waits for `connect` at most; and no try
/// waits at all once a watch over the server tells of an outage (`note(outage:)`).
package final class PostgreSQLPool: Sendable {
    /// A connection that was idle for longer is asked whether its server is there. For a younger one a look at the
    /// socket is enough.
    private static let trustedIdleTime = Duration.seconds(5)
    /// A connection that was idle for longer is closed when it comes back into use.
    private static let maxIdleTime = Duration.seconds(600)

    private struct Idle {
        var session: PostgreSQLSession
        var since: ContinuousClock.Instant
    }

    private struct State {
        var idle: [Idle] = []
        /// Connections that are used or being opened.
        var taken = 0
        /// Threads that wait for a connection, in the order in which they asked.
        var waiting: [Interruption] = []
        var lastError: PostgreSQLError?
        /// The reason why no connection is of use now, by who watches the server.
        var outage: PostgreSQLError?
        /// Connections that are used now, to be ended by an outage.
        var used: [Interruption] = []
        var isClosed = false
    }

    package let settings: PostgreSQLSettings
    package let size: Int
    private let spelling: @Sendable (String) -> String
    private let state = Mutex(State())

    /// Connects to nothing yet.
    /// - Parameters:
    ///   - size: connections at a time, from 1.
    ///   - spelling: see `PostgreSQLSession.init`.
    package init(
        _ settings: PostgreSQLSettings, size: Int, spelling: @escaping @Sendable (String) -> String = { $0 }
    ) {
        (self.settings, self.size, self.spelling) = (settings, max(1, size), spelling)
    }

    /// Runs `body` on a connection of its own, on the calling thread, which may block. Throws `busy` when none is free
    /// within the time of `connect`, the errors of connecting, and what `body` throws.
    ///
    /// - Parameter interruption: ends what runs, with `cancelled`.
    package func withSession<Value>(
        _ interruption: Interruption? = nil, _ body: (PostgreSQLSession) throws -> Value
    ) throws -> Value {
        try takePlace(interruption)
        defer { givePlaceBack() }
        let session = try session(interruption)
        state.withLock { $0.used.append(session.outage) }
        defer { giveBack(session) }
        return try body(session)
    }

    /// Waits until one connection more may be used. Throws `busy` after the time of `connect`, and `cancelled`.
    private func takePlace(_ interruption: Interruption?) throws {
        let turn: Interruption? = state.withLock { state in
            guard state.taken == size else {
                state.taken += 1
                return nil
            }
            let turn = Interruption()
            state.waiting.append(turn)
            return turn
        }
        guard let turn else { return }
        turn.wait(atMost: settings.timeouts.connect, or: interruption)
        // Who gives a place back takes the waiting thread off the list, and leaves the place to it.
        let hasPlace = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0 === turn }) else { return true }
            state.waiting.remove(at: index)
            return false
        }
        if interruption?.isRequested ?? false {
            if hasPlace { givePlaceBack() }
            throw PostgreSQLError(.cancelled, "connect", "it was cancelled")
        }
        guard hasPlace else {
            throw PostgreSQLError(.busy, "connect", "all \(size) connections to the database are in use")
        }
    }

    private func givePlaceBack() {
        state.withLock { state in
            if state.waiting.isEmpty { state.taken -= 1 } else { state.waiting.removeFirst().request() }
        }
    }

    /// Runs `body` on a thread of its own, which may block, while the calling task is suspended. Throws
    /// `CancellationError` when the task is cancelled: the server then ends what runs.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLSession) throws -> Value
    ) async throws -> Value {
        let interruption = Interruption()
        do {
            return try await withTaskCancellationHandler {
                try await DispatchQueue.runAlone("fundmail.postgresql") { [self] in
                    try withSession(interruption, body)
                }
            } onCancel: {
                interruption.request()
            }
        } catch let error as PostgreSQLError where error.code == .cancelled { throw CancellationError() }
    }

    /// An idle connection that is alive, or a new one.
    private func session(_ interruption: Interruption?) throws -> PostgreSQLSession {
        if let outage = state.withLock(\.outage) { throw outage }
        while let idle = state.withLock({ $0.idle.popLast() }) {
            let time = ContinuousClock.now - idle.since
            guard time < Self.maxIdleTime, idle.session.isAlive(isThorough: time > Self.trustedIdleTime) else {
                // The others came from the same server, which may be gone: none of them is worth a wait.
                if time > Self.trustedIdleTime { dropIdle(isClosing: false) }
                continue
            }
            idle.session.interruption = interruption ?? idle.session.outage
            return idle.session
        }
        guard !state.withLock(\.isClosed) else {
            throw PostgreSQLError(.unreachable, "connect", "the pool of connections is closed")
        }
        do {
            let session = try PostgreSQLSession(settings, interruption: interruption, spelling: spelling)
            session.interruption = interruption ?? session.outage
            state.withLock { $0.lastError = nil }
            return session
        } catch let error as PostgreSQLError {
            state.withLock { $0.lastError = error }
            throw error
        }
    }

    private func giveBack(_ session: PostgreSQLSession) {
        session.interruption = nil
        state.withLock { state in
            state.used.removeAll { $0 === session.outage }
            guard !state.isClosed, !session.outage.isRequested, !session.isBroken, !session.isInTransaction else {
                return
            }
            state.idle.append(Idle(session: session, since: .now))
        }
    }

    /// Ends the idle connections, and the others once they are given back. Closing twice is harmless.
    package func close() { dropIdle(isClosing: true) }

    private func dropIdle(isClosing: Bool) {
        let idle = state.withLock { state in
            if isClosing { state.isClosed = true }
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}  // they end outside of the lock
    }
}

// MARK: Health

extension PostgreSQLPool {
    /// Has all that wants a connection fail at once with this error, and ends what runs on one; nil has them used
    /// again.
    package func note(outage error: PostgreSQLError?) {
        let used = state.withLock { state in
            state.outage = error
            return error == nil ? [] : state.used
        }
        guard error != nil else { return }
        for interruption in used { interruption.request() }
        dropIdle(isClosing: false)
    }
}

extension PostgreSQLPool {
    /// The state of a pool at one moment.
    package struct Health: Sendable {
        /// Connections that run something now, or are being opened.
        package var used: Int
        package var idle: Int
        /// Threads that wait for a connection.
        package var waiting: Int
        /// The error of the last try to connect; nil when it succeeded.
        package var lastError: PostgreSQLError?
    }

    package var health: Health {
        state.withLock {
            Health(used: $0.taken, idle: $0.idle.count, waiting: $0.waiting.count, lastError: $0.outage ?? $0.lastError)
        }
    }

    /// Asks the server whether it is there, and takes writes. Throws the reason when not, within the time of `connect`
    /// and a second. Blocks.
    package func check() throws {
        try withSession { session in
            try session.limited(to: .seconds(1)) { _ = try session.run("SELECT 1") }
        }
    }
}
