internal import CPostgreSQL
package import FundCore
internal import Synchronization

/// Hears of commits of other processes, on a connection and a thread of its own: by LISTEN at once, and by a look each
/// second where that was missed, or where a pooler lets nothing through.
///
/// It raises a signal and says nothing more: readers ask the rows what is new. After a connection was lost the signal
/// is raised once it stands again, for what happened meanwhile.
package final class PostgreSQLListener: Sendable {
    private static let lookInterval = Duration.seconds(1)

    private let settings: PostgreSQLSettings
    private let channel: String
    private let signal: Signal
    private let look: @Sendable (PostgreSQLSession) throws -> Int64
    private let stopping = Interruption()
    private let state = Mutex(State())

    private struct State {
        var isConnected = false
        var problem: (any Error)?
    }

    /// - Parameters:
    ///   - channel: a name of the program, in lower case.
    ///   - look: gives a number that is another one after each commit that matters.
    package init(
        _ settings: PostgreSQLSettings, channel: String, raising signal: Signal,
        look: @escaping @Sendable (PostgreSQLSession) throws -> Int64
    ) {
        (self.settings, self.channel, self.signal, self.look) = (settings, channel, signal, look)
    }

    /// Begins to listen. Returns false when the system gives no thread.
    package func start() -> Bool { OwnThread.start { [self] in listen() } }

    /// Ends listening soon. Harmless when repeated.
    package func stop() { stopping.request() }

    /// Whether the connection stands.
    package var isConnected: Bool { state.withLock(\.isConnected) }

    /// Why the connection does not stand, such as a login that was refused; nil while it stands. It is tried again each
    /// second all the same.
    package var problem: (any Error)? { state.withLock(\.problem) }

    private func listen() {
        while !stopping.isRequested {
            var problem: (any Error)?
            do { try listenOnce() } catch { problem = error }
            state.withLock { $0 = State(isConnected: false, problem: problem) }
            stopping.wait(atMost: Self.lookInterval)
        }
    }

    /// Listens until the connection ends.
    private func listenOnce() throws {
        let session = try PostgreSQLSession(settings, interruption: stopping)
        if !session.isPooled { try session.run(script: "LISTEN \(channel)") }
        state.withLock { $0 = State(isConnected: true) }
        var known = try look(session)
        signal.raise()
        var nextLook = ContinuousClock.now + Self.lookInterval
        while !stopping.isRequested {
            if try session.line.waitForNews(atMost: max(.zero, nextLook - .now)) {
                if session.line.takeNotifications() > 0 { signal.raise() }
            }
            guard .now >= nextLook, !stopping.isRequested else { continue }
            nextLook = .now + Self.lookInterval
            let found = try look(session)
            // Notifications may have come with the answer.
            if session.line.takeNotifications() > 0 || found != known { signal.raise() }
            known = found
        }
    }
}
