internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Synchronization

/// The polled mailboxes for administrators: how they are doing, and runs that are asked for.
final class MailboxService: Sendable {
    /// Between two runs over one mailbox that are asked for: mail servers lock accounts that log in too often.
    static let pollPeriod = Duration.seconds(10)
    /// A run that was asked for.
    struct Poll: Sendable {
        let mailbox: String
        let actor: String
        let start: PollStart
        fileprivate let before: MailboxState
        /// The outcome; nil as long as the run goes on.
        fileprivate(set) var outcome: PollOutcome?
    }

    private struct Entry {
        var askedAt: ContinuousClock.Instant
        /// Nil until the run was begun.
        var poll: Poll?
    }

    private let register: any MailboxRegister
    private let polling: any MailboxPolling
    private let audit: any AccountStore
    private let commits: Signal
    private let patience: Duration
    /// By the names of mailboxes that are polled here, so that it cannot grow.
    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameters:
    ///   - commits: raised when a run was noted in the store, see `MailLibrary.commits`.
    ///   - patience: how long a request waits for the end of the run that it asked for.
    init(
        register: any MailboxRegister, polling: any MailboxPolling, audit: any AccountStore, commits: Signal,
        patience: Duration = .seconds(8)
    ) {
        (self.register, self.polling, self.audit, self.commits) = (register, polling, audit, commits)
        self.patience = patience
    }

    /// Names of the mailboxes that are polled here.
    var names: [String] { polling.mailboxes }

    /// See `MailboxReport.all`.
    func reports() async throws -> [MailboxReport] {
        let (certificates, tokens) = (polling.certificates, polling.tokens)
        var reports = MailboxReport.all(configured: polling.mailboxes, states: try await register.mailboxStates())
        for index in reports.indices {
            // A mailbox that is not configured any more has nothing to renew.
            guard reports[index].condition != .notConfigured else { continue }
            let name = reports[index].state.name
            (reports[index].certificate, reports[index].token) = (certificates[name], tokens[name])
        }
        return reports
    }

    /// Has a run over this mailbox begin now, and waits up to `patience` for its end; one that is under way goes on and
    /// is waited for. Throws 404 for a mailbox that is not polled here, and 429 within `pollPeriod` after another poll.
    func poll(_ mailbox: String, actor: String) async throws -> Poll {
        guard polling.mailboxes.contains(mailbox) else { throw RequestError.notFound }
        let now = ContinuousClock.now
        try entries.withLock { entries in
            if let last = entries[mailbox]?.askedAt, now - last < Self.pollPeriod {
                throw RequestError.polledJustNow(after: Self.pollPeriod - (now - last))
            }
            entries[mailbox] = Entry(askedAt: now, poll: entries[mailbox]?.poll)
        }
        let before = try await state(of: mailbox)
        guard let start = polling.pollNow(mailbox) else { throw RequestError.notFound }
        let poll = Poll(mailbox: mailbox, actor: actor, start: start, before: before)
        entries.withLock { $0[mailbox] = Entry(askedAt: now, poll: poll) }
        try await audit.audit(
            actor: actor, action: .mailboxPoll, subject: mailbox,
            detail: start == .underWay ? "a run was under way" : "")
        while true {
            // Read before the store: what is committed meanwhile ends the wait at once.
            let known = commits.count
            let current = update(poll, try await state(of: mailbox))
            let left = patience - (ContinuousClock.now - now)
            if current.outcome != nil || left <= .zero { return current }
            await commits.wait(after: known, atMost: left)
            try Task.checkCancellation()
        }
    }

    /// The last run over this mailbox that was asked for, as it stands; nil when none was since this program started.
    func lastPoll(of mailbox: String) async throws -> Poll? {
        guard let poll = entries.withLock({ $0[mailbox]?.poll }) else { return nil }
        return poll.outcome == nil ? update(poll, try await state(of: mailbox)) : poll
    }

    private func state(of mailbox: String) async throws -> MailboxState {
        try await register.mailboxStates().first { $0.name == mailbox } ?? MailboxState(name: mailbox)
    }

    /// Keeps the outcome once there is one: later runs are not its own.
    private func update(_ poll: Poll, _ state: MailboxState) -> Poll {
        var poll = poll
        poll.outcome = PollOutcome(from: poll.before, to: state)
        entries.withLock { [poll] in $0[poll.mailbox]?.poll = poll }
        return poll
    }
}

/// The outcome of a run: the difference between two states of its mailbox.
struct PollOutcome: Sendable, Hashable {
    /// Messages by what became of them.
    var counts: [Outcome: Int] = [:]
    /// Messages whose bytes could not be had; they stay on the server.
    var failedMessages = 0
    /// Why the run could not be completed, for people; nil when it was.
    var problem: String?

    /// Nil when no run ended between them.
    init?(from before: MailboxState, to after: MailboxState) {
        guard after.runs > before.runs else { return nil }
        for outcome in Outcome.allCases {
            counts[outcome] = (after.totals[outcome] ?? 0) - (before.totals[outcome] ?? 0)
        }
        failedMessages = after.failedMessages - before.failedMessages
        problem = after.consecutiveFailures > 0 ? after.lastError : nil
    }

    var messageCount: Int { counts.values.reduce(0, +) }
}

extension RequestError {
    /// 429.
    fileprivate static func polledJustNow(after time: Duration) -> RequestError {
        let seconds = Int64(time.seconds.rounded(.up))
        return RequestError(
            .tooManyRequests, "polled-just-now", "this mailbox was polled a moment ago; try again in \(seconds) s",
            headers: [.retryAfter: "\(seconds)"])
    }
}
