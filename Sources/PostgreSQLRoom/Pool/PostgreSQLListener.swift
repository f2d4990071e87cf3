internal import CPostgreSQL
package import FundCore
internal import Synchronization

/// Hears of commits of other processes, on a connection and a thread of its own: by LISTEN at once, and by a look each
/// second where that was missed, or where a pooler lets nothing through.
///
/// It raises a signal and says nothing more: readers ask the rows what is new. After a connection was lost the signal
/// is raised once it stands again, for what happened meanwhile. It tells, too, whether the server answers.
package final class PostgreSQLListener: Sendable {
    private static let lookInterval = Duration.seconds(1)
    /// A server that is silent for longer than this and `answer` is out of use. A busy one may take a second.
    private static let lookLimit = Duration.milliseconds(2_500)
    private static let cutPause = Duration.milliseconds(50)
    private static let answer = Duration.milliseconds(500)

    private let settings: PostgreSQLSettings
    private let channel: String
    private let signal: Signal
    private let onOutage: @Sendable (PostgreSQLError?) -> Void
    private let look: @Sendable (PostgreSQLSession) throws -> Int64
    private let stopping = Interruption()
    private let state = Mutex(State())

    private struct State {
        var isConnected = false
        var problem: (any Error)?
    }

    /// - Parameters:
    ///   - channel: a name of the program, in lower case.
    ///   - onOutage: called with the reason when the server cannot be reached, and with nil when it can.
    ///   - look: gives a number that is another one after each commit that matters.
    package init(
        _ settings: PostgreSQLSettings, channel: String, raising signal: Signal,
        onOutage: @escaping @Sendable (PostgreSQLError?) -> Void = { _ in },
        look: @escaping @Sendable (PostgreSQLSession) throws -> Int64
    ) {
        var settings = settings
        settings.timeouts.answer = Self.answer
        (self.settings, self.channel, self.signal) = (settings, channel, signal)
        (self.onOutage, self.look) = (onOutage, look)
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
            let wasConnected = state.withLock { state in
                defer { state = State(isConnected: false, problem: problem) }
                return state.isConnected
            }
            // A connection that was cut is no outage: the next try says whether there is one.
            let isCut = wasConnected && (problem as? PostgreSQLError)?.code == .lost
            if let problem, !isCut { tell(problem) }
            stopping.wait(atMost: isCut ? Self.cutPause : Self.lookInterval)
        }
    }

    /// Tells of an outage by the error of a try to connect, or of a look.
    private func tell(_ problem: any Error) {
        guard !stopping.isRequested, var error = problem as? PostgreSQLError,
            [.unreachable, .refused, .lost, .tookTooLong].contains(error.code)
        else { return }
        // Nothing runs again at once that fails with it.
        if error.code != .refused { error.code = .unreachable }
        onOutage(error)
    }

    /// Looks. Tells of a silent server at once: a try to connect would take as long again.
    private func ask(_ session: PostgreSQLSession) throws -> Int64 {
        let start = ContinuousClock.now
        do { return try session.limited(to: Self.lookLimit) { try look(session) } } catch {
            if .now - start >= Self.lookLimit { tell(error) }
            throw error
        }
    }

    /// Listens until the connection ends.
    private func listenOnce() throws {
        let session = try PostgreSQLSession(settings, interruption: stopping)
        if !session.isPooled { try session.run(script: "LISTEN \(channel)") }
        state.withLock { $0 = State(isConnected: true) }
        var known = try ask(session)
        onOutage(nil)
        signal.raise()
        var nextLook = ContinuousClock.now + Self.lookInterval
        while !stopping.isRequested {
            if try session.line.waitForNews(atMost: max(.zero, nextLook - .now)) {
                if session.line.takeNotifications() > 0 { signal.raise() }
            }
            guard .now >= nextLook, !stopping.isRequested else { continue }
            nextLook = .now + Self.lookInterval
            let found = try ask(session)
            // Notifications may have come with the answer.
            if session.line.takeNotifications() > 0 || found != known { signal.raise() }
            known = found
        }
    }
}
