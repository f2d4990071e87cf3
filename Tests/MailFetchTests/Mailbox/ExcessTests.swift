import MailConnection
import MailFetch
import TestSupport
import Testing

/// Messages that are larger than the server says they are, and than is allowed.
@Suite(.startsPrograms) struct ExcessTests {
    /// Recorded once by the header, like every message that is too large; the others come as if nothing were.
    @Test(arguments: [
        "imap-larger-than-announced", "imap-far-larger-than-announced", "imap-far-larger-without-uid",
        "pop3-larger-than-announced", "pop3-far-larger-than-announced",
    ])
    func areRecordedOnceAndBlockNothing(_ transcript: String) async throws {
        var harness = try HostileHarness(transcript)
        harness.mailbox.diesWithTheLine = false
        let poll = try await harness.mailbox.poll()
        let ledger = harness.mailbox.ledger
        #expect(poll.error == nil && poll.failures.isEmpty, "\(poll)")
        #expect(
            Set(ledger.kept.filter { !$0.isRefused }.map(\.bytes))
                == Set(["one", "three"].map { harness.messages[$0]! }))
        let refused = ledger.kept.filter(\.isRefused)
        #expect(refused.map(\.bytes) == [harness.messages["two"]!])
        #expect(poll.waiting == WaitingMail(count: 0))
        #expect(harness.deletions.count == 2)
        // The server still lists all three: the two are recognised, and the third is not asked for.
        let lines = harness.server.lines.count
        let again = try await harness.mailbox.poll()
        #expect(again.error == nil && again.count == 2 && again.failures.isEmpty, "\(again)")
        #expect(ledger.kept.filter(\.isRefused).count == 1)
        let asked = harness.server.lines.dropFirst(lines).filter { line in
            line.contains("RETR 2") || line.contains("TOP 2") || line.contains("FETCH 8") || line.contains("7:9")
        }
        #expect(asked.isEmpty, "\(asked)")
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// POP3 without TOP: nothing of them is seen, and still each is recorded as itself.
    @Test func areRecordedOneByOneWithoutAHeader() async throws {
        let harness = try HostileHarness("pop3-too-large-without-top")
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.failures.isEmpty && poll.count == 3, "\(poll)")
        let refused = harness.mailbox.ledger.kept.filter(\.isRefused)
        #expect(Set(refused.map(\.digest)).count == 2 && Set(refused.map(\.place)) == ["alpha", "beta"], "\(refused)")
        let lines = harness.server.lines.count
        #expect(try await harness.mailbox.poll().count == 1)
        #expect(!harness.server.lines.dropFirst(lines).contains { $0.hasPrefix("TOP") }, "nobody asks again")
        #expect(harness.server.record.problems.isEmpty)
    }

    /// A refusal for now is not "I know no TOP": nothing is recorded, and the next run asks again.
    @Test(arguments: ["pop3-top-unavailable", "pop3-top-throttled"])
    func areAskedForAgainAfterARefusalForNow(_ transcript: String) async throws {
        let harness = try HostileHarness(transcript)
        for _ in 1...2 {
            let lines = harness.server.lines.count
            let poll = try await harness.mailbox.poll()
            #expect(harness.mailbox.ledger.kept.filter(\.isRefused).isEmpty, "\(poll)")
            #expect(harness.server.lines.dropFirst(lines).contains { $0.hasPrefix("TOP 2") })
        }
        #expect(!harness.deletions.contains(2))
    }

    /// A message that cannot be had waits on the server, and it is known since when.
    @Test func whatCannotBeHadWaits() async throws {
        var harness = try HostileHarness("imap-body-nil")
        harness.mailbox.diesWithTheLine = false
        let poll = try await harness.mailbox.poll()
        #expect(poll.failures.count == 1 && poll.waiting == WaitingMail(count: 1, oldestAt: 837_596_665), "\(poll)")
    }

    @Test(arguments: ["pop3-retr-refused"])
    func popDoesNotSaySinceWhen(_ transcript: String) async throws {
        let harness = try HostileHarness(transcript)
        let poll = try await harness.mailbox.poll()
        #expect(poll.failures.count == 1 && poll.waiting == WaitingMail(count: 1), "\(poll)")
    }
}

/// How much is still on the server.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct WaitingTests {
    @Test(arguments: DovecotLoginTests.schemes)
    func whatWasNotAcknowledgedWaits(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "waiting-\(scheme.rawValue)"
        for message in TestMail.make(10) { try server.deliver(message, to: user) }
        var harness = try MailboxHarness(scheme, on: server, user: user, after: .keep)
        harness.batch = 2
        harness.disturbance = (after: 5, { throw CancellationError() })
        #expect(try await harness.poll().waiting == WaitingMail(count: 6))
        harness.disturbance = nil
        #expect(try await harness.poll().waiting == WaitingMail(count: 0))
        #expect(try await harness.poll().waiting == WaitingMail(count: 0))
    }
}
