import FundCore
import FundStore
import MailConnection
import Synchronization
import TestSupport
import Testing

@testable import MailSend

/// The questions that a relay asks the store.
@Suite struct RelayAskingTests {
    /// Counts the questions for letters that are due.
    private final class CountingRegister: OutboxRegister {
        private struct Counts {
            var asked = 0
            var taken = 0
        }

        let base: any OutboxRegister
        private let counts = Mutex(Counts())

        init(_ base: any OutboxRegister) { self.base = base }

        var asked: Int { counts.withLock { $0.asked } }
        var taken: Int { counts.withLock { $0.taken } }

        func relayLease() async throws -> (any MailboxLease)? { try await base.relayLease() }
        func nextLetter(
            after result: (letter: OutboxLetter.ID, outcome: OutboxResult)?, now: Timestamp
        ) async throws -> OutboxLetter? {
            counts.withLock { $0.taken += 1 }
            return try await base.nextLetter(after: result, now: now)
        }
        func note(_ outcome: OutboxResult, of letter: OutboxLetter.ID, now: Timestamp) async throws {
            try await base.note(outcome, of: letter, now: now)
        }
        func noteWait(_ note: String, now: Timestamp) async throws { try await base.noteWait(note, now: now) }
        func nextDue(now: Timestamp) async throws -> Timestamp? {
            counts.withLock { $0.asked += 1 }
            return try await base.nextDue(now: now)
        }
        func letters(_ filter: OutboxFilter, _ page: PageQuery) async throws -> ListPage<OutboxLetter> {
            try await base.letters(filter, page)
        }
        func letter(_ id: OutboxLetter.ID) async throws -> OutboxLetter { try await base.letter(id) }
        func outboxCounts() async throws -> OutboxCounts { try await base.outboxCounts() }
        func retryLetter(_ id: OutboxLetter.ID, mayArriveTwice: Bool, actor: String) async throws {
            try await base.retryLetter(id, mayArriveTwice: mayArriveTwice, actor: actor)
        }
        func dropLetter(_ id: OutboxLetter.ID, actor: String) async throws {
            try await base.dropLetter(id, actor: actor)
        }
    }

    /// A pass asks once which letter is due next, whether or not there is one, and takes letters without asking again.
    @Test func aPassAsksOnce() async throws {
        let harness = try RelayHarness("ann@example.com", "bob@example.com")
        let server = try SMTPScript().start()
        defer { server.stop() }
        let register = CountingRegister(harness.store.outbox)
        let passes = Mutex(0)
        let relay = OutboxRelay(
            register, PlainLetters(), queueDue: { passes.withLock { $0 += 1 } }, route: harness.route(server.port),
            commits: harness.store.library.commits, observe: { _ in })
        try await harness.running(relay) {
            try await eventually { try await harness.states == [.sent, .sent] }
            // The commit that says so begins a pass in which nothing is due.
            try await eventually { passes.withLock { $0 } >= 2 }
            try harness.queue(["eve@example.com"])
            try await eventually { try await harness.states == [.sent, .sent, .sent] }
            harness.store.library.commits.raise()
            try await eventually { passes.withLock { $0 } >= 4 }
        }
        #expect(register.asked == passes.withLock { $0 })
        // Each letter is taken once, and behind the last one of a pass there is none.
        #expect((5...6).contains(register.taken), "\(register.taken)")
    }
}
