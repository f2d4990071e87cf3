internal import Logging
internal import Synchronization

/// Looks at the health checks once for all who ask at the same time: they write to the disk, and anybody may ask.
final class Readiness: Sendable {
    /// How old an answer may be.
    private static let freshness = Duration.seconds(1)

    private struct State {
        var look: Task<[String], Never>?
        /// Nil while it is under way.
        var endedAt: ContinuousClock.Instant?
    }

    private let checks: [HealthCheck]
    private let state = Mutex(State())

    init(_ checks: [HealthCheck]) { self.checks = checks }

    /// The names of the checks that fail. What is wrong is logged.
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
