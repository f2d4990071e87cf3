internal import Logging
internal import Synchronization

/// Runs the health checks once for all requests at the same time: the checks write to the disk, and every client may
/// ask.
final class Readiness: Sendable {
    /// Age up to which an answer is given again.
    private static let freshness = Duration.seconds(1)

    private struct State {
        var look: Task<[String], Never>?
        /// Nil while it is under way.
        var endedAt: ContinuousClock.Instant?
    }

    private let checks: [HealthCheck]
    private let state = Mutex(State())

    init(_ checks: [HealthCheck]) { self.checks = checks }

    /// The names of the checks that fail. The problems are logged.
    func failing(logger: Logger) async -> [String] {
        let look = state.withLock { state in
            let isFresh = state.endedAt.map { ContinuousClock.now - $0 < Self.freshness } ?? true
            if let look = state.look, isFresh { return look }
            let look = Task { await self.look(logger) }
            state = State(look: look)
            return look
        }
        return await look.value
    }

    private func look(_ logger: Logger) async -> [String] {
        var failing: [String] = []
        for check in checks {
            guard let problem = await check.problem() else { continue }
            logger.warning("not ready: \(check.name): \(problem)")
            failing.append(check.name)
        }
        state.withLock { $0.endedAt = .now }
        return failing
    }
}
