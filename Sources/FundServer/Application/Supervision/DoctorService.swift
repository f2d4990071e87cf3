internal import FundCore
internal import Synchronization

/// Checks of the set-up for all administrators: one at a time, and the last is kept in memory.
final class DoctorService: Sendable {
    /// Age up to which what was found on this machine is shown again: a check starts a parser and reads the store.
    static let lifetime = Duration.seconds(10)
    /// Between two checks that log in to the mail servers, which lock accounts that log in too often.
    static let serverPeriod = Duration.seconds(10)
    /// How long a request waits for the check of the mail servers.
    static let patience = Duration.seconds(20)

    /// One check.
    struct Round: Sendable {
        var checkedAt: Timestamp
        var findings: [Finding]
        /// Who asked for it.
        var actor: String
    }

    /// The results that are known now.
    struct Findings: Sendable {
        /// Checks of this machine, without the mail servers.
        var local: Round
        /// The last that asked the mail servers; nil when none did since this program started.
        var servers: Round?
        /// Whether the mail servers are asked at this moment.
        var isChecking: Bool
    }

    private struct State {
        var servers: Round?
        var endedAt: ContinuousClock.Instant?
        var isChecking = false
    }

    private let check: any SetupCheck
    private let audit: any AccountStore
    private let now: @Sendable () -> Timestamp
    private let local = FreshValues<Unkeyed, Round>(lifetime: lifetime)
    private let state = Mutex(State())
    /// Raised when a check of the mail servers ends.
    private let ended = Signal()

    init(check: any SetupCheck, audit: any AccountStore, now: @escaping @Sendable () -> Timestamp) {
        (self.check, self.audit, self.now) = (check, audit, now)
    }

    /// Connects to no mail server.
    func findings(for actor: String) async throws -> Findings {
        let round = try await local.value { [check, now] in
            Round(checkedAt: now(), findings: await check.findings(asksServers: false), actor: actor)
        }
        return state.withLock { Findings(local: round, servers: $0.servers, isChecking: $0.isChecking) }
    }

    /// Asks the mail servers, and waits up to `patience` for what they say. A check that is under way is waited for,
    /// and one that ended within `serverPeriod` is not repeated.
    func checkServers(actor: String) async throws {
        let known = ended.count
        let begins = state.withLock { state in
            let isFresh = state.endedAt.map { ContinuousClock.now - $0 < Self.serverPeriod } ?? false
            guard !state.isChecking, !isFresh else { return false }
            state.isChecking = true
            return true
        }
        if begins {
            do {
                try await audit.audit(actor: actor, action: .doctorCheck, subject: "", detail: "")
            } catch {
                state.withLock { $0.isChecking = false }
                ended.raise()
                throw error
            }
            // A task of its own: others wait for it, too, and it outlasts a request that is given up.
            Task { await ask(for: actor) }
        }
        if state.withLock(\.isChecking) { await ended.wait(after: known, atMost: Self.patience) }
    }

    private func ask(for actor: String) async {
        let findings = await check.findings(asksServers: true)
        state.withLock { state in
            state.servers = Round(checkedAt: now(), findings: findings, actor: actor)
            (state.endedAt, state.isChecking) = (.now, false)
        }
        ended.raise()
    }
}
