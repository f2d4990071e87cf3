import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct MailboxRegisterTests {
    @Test func anAddressIsOpenedOnce() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        let addresses = ["imaps://f@one/INBOX", "imaps://f@one/INBOX", "imaps://f@two/INBOX", "imaps://f@two/INBOX"]
        var moved: [Bool] = []
        for address in addresses { moved.append(try await store.mail.openMailbox("funds", at: address)) }
        #expect(moved == [false, false, true, false])
        #expect(try await store.mail.mailboxStates().map(\.address) == ["imaps://f@two/INBOX"])
        let audit: [String] = try store.connection.read("look") { db in
            try db.values("SELECT subject || ': ' || detail FROM audit WHERE action = 'mailbox.move'")
        }
        #expect(audit == ["funds: from imaps://f@one/INBOX to imaps://f@two/INBOX; 0 deliveries departed"])
    }

    @Test func aMoveTouchesNoOtherMailbox() async throws {
        let harness = try await StoreHarness()
        for name in ["a", "b"] {
            try await harness.store.mail.openMailbox(name, at: "imaps://one")
            for uid in 1...3 { try await harness.deliver("Subject: x\n\n\(name)\(uid)", at: "7/\(uid)", in: name) }
        }
        try await harness.store.mail.openMailbox("a", at: "imaps://two")
        #expect(try harness.store.mail.deliveredPlaces(in: "a") == [])
        #expect(try harness.store.mail.deliveredPlaces(in: "b").count == 3)
        // Back again: what was there then was forgotten, and comes as duplicates.
        try await harness.store.mail.openMailbox("a", at: "imaps://one")
        #expect(try harness.store.mail.deliveredPlaces(in: "a") == [])
    }

    @Test func runsAddUp() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        let runs = [
            MailboxRun(startedAt: 100, seconds: 2.6, outcomes: [.filed: 3, .duplicate: 1], bytes: 40),
            MailboxRun(startedAt: 200, seconds: 1, failed: 2, problem: "no\0 answer", waiting: 2, oldestWaitingAt: 150),
            MailboxRun(startedAt: 300, outcomes: [.rejected: 1], bytes: 2, problem: "login refused", waiting: 1),
        ]
        for run in runs { try await store.mail.note(run, of: "funds") }
        var expected = MailboxState(name: "funds")
        expected.lastAttemptAt = 300
        expected.lastSuccessAt = 103
        expected.lastErrorAt = 300
        expected.lastError = "login refused"
        expected.consecutiveFailures = 2
        expected.failingSince = 201
        expected.waiting = 1
        expected.totals = [.filed: 3, .duplicate: 1, .rejected: 1]
        expected.failedMessages = 2
        expected.bytes = 42
        expected.runs = 3
        #expect(try await store.mail.mailboxStates() == [expected])

        try await store.mail.note(MailboxRun(startedAt: 400, outcomes: [.filed: 1, .misrouted: 2]), of: "funds")
        expected.lastAttemptAt = 400
        expected.lastSuccessAt = 400
        expected.consecutiveFailures = 0
        expected.failingSince = nil
        expected.waiting = 0
        expected.totals = [.filed: 4, .duplicate: 1, .rejected: 1, .misrouted: 2]
        expected.runs = 4
        try harness.reopen()
        #expect(try await harness.store.mail.mailboxStates() == [expected])
    }

    /// From the end of the first failed run after a good one, or of the first run of all.
    @Test func failsSinceTheFirstFailure() async throws {
        let harness = try await StoreHarness()
        let runs: [(run: MailboxRun, since: Timestamp?)] = [
            (MailboxRun(startedAt: 100, seconds: 5, problem: "down"), 105),
            (MailboxRun(startedAt: 200, problem: "still down"), 105),
            (MailboxRun(startedAt: 300), nil),
            (MailboxRun(startedAt: 400, problem: "down"), 400),
        ]
        for (run, since) in runs {
            try await harness.store.mail.note(run, of: "funds")
            // A new address is no good run.
            try await harness.store.mail.openMailbox("funds", at: "imaps://\(run.startedAt)")
            #expect(try await harness.store.mail.mailboxStates().map(\.failingSince) == [since], "\(run)")
        }
    }

    @Test func mailboxesAreListedByName() async throws {
        let harness = try await StoreHarness()
        try await harness.store.mail.openMailbox("b", at: "imaps://b")
        try await harness.store.mail.note(MailboxRun(startedAt: 1, problem: "x"), of: "a")
        let states = try await harness.store.mail.mailboxStates()
        #expect(states.map(\.name) == ["a", "b"])
        #expect(states.map(\.runs) == [1, 0])
        #expect(states.map(\.lastAttemptAt) == [1, nil])
        // Its first address is no move.
        #expect(try await harness.store.mail.openMailbox("a", at: "imaps://a") == false)
    }
}

extension MailboxRun {
    fileprivate init(
        startedAt: Timestamp, seconds: Double = 0, outcomes: [Outcome: Int] = [:], failed: Int = 0, bytes: Int64 = 0,
        problem: String? = nil, waiting: Int = 0, oldestWaitingAt: Timestamp? = nil
    ) {
        self.init(startedAt: startedAt)
        self.seconds = seconds
        self.outcomes = outcomes
        self.failed = failed
        self.bytes = bytes
        self.problem = problem
        self.waiting = waiting
        self.oldestWaitingAt = oldestWaitingAt
    }
}
