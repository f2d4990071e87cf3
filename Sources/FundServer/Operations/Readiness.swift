internal import FundCore
internal import Logging

/// Something that the server needs to work.
package struct HealthCheck: Sendable {
    /// `store`, `disk`, `watchers`. It is public, so it names no user or mailbox.
    package var name: String
    /// What is wrong, for the log; nil when nothing is.
    package var problem: @Sendable () async -> String?

    package init(_ name: String, problem: @escaping @Sendable () async -> String?) {
        self.name = name
        self.problem = problem
    }
}

/// Runs the health checks once for all requests at the same time: the checks write to the disk, and every client may
/// ask.
final class Readiness: Sendable {
    private let checks: [HealthCheck]
    private let answers = FreshValues<Unkeyed, [String]>(lifetime: .seconds(1))

    init(_ checks: [HealthCheck]) { self.checks = checks }

    /// The names of the checks that fail. The problems are logged.
    func failing(logger: Logger) async throws -> [String] {
        try await answers.value { [checks] in
            var failing: [String] = []
            for check in checks {
                guard let problem = await check.problem() else { continue }
                logger.warning("not ready: \(check.name): \(problem)")
                failing.append(check.name)
            }
            return failing
        }
    }
}
