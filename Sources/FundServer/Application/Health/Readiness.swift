internal import FundCore
internal import Logging

/// Something that the server needs to work.
package struct HealthCheck: Sendable {
    /// `store`, `database`, `disk`, `watchers`. It is public, so it names no user or mailbox.
    package var name: String
    /// The problem, for administrators; nil when there is none.
    package var problem: @Sendable () async -> String?

    package init(_ name: String, problem: @escaping @Sendable () async -> String?) {
        self.name = name
        self.problem = problem
    }
}

/// Runs the health checks once for all requests at the same time: they write to the disk, and any client may ask.
final class Readiness: Sendable {
    /// The result of a check.
    struct Finding: Sendable {
        var name: String
        /// Nil when nothing is wrong.
        var problem: String?
    }

    /// Age up to which findings are given again.
    static let lifetime = Duration.seconds(1)

    private let checks: [HealthCheck]
    private let answers: FreshValues<Unkeyed, [Finding]>

    /// - Parameter now: the clock by which findings grow old; another only in tests.
    init(_ checks: [HealthCheck], now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.checks = checks
        answers = FreshValues(lifetime: Self.lifetime, now: now)
    }

    /// The results of all checks, in their order. Problems are logged.
    func findings(logger: Logger) async throws -> [Finding] {
        try await answers.value { [checks] in
            var findings: [Finding] = []
            for check in checks {
                let problem = await check.problem()
                if let problem { logger.warning("not ready: \(check.name): \(problem)") }
                findings.append(Finding(name: check.name, problem: problem))
            }
            return findings
        }
    }
}
