import MailFetch
import TestSupport
import Testing

/// Messages that are larger than the server says they are, and than is allowed.
@Suite struct ExcessTests {
    /// Recorded once by the header, like every message that is too large; the others come as if nothing were.
    @Test(arguments: [
        "imap-larger-than-announced", "imap-far-larger-than-announced", "imap-far-larger-without-uid",
        "pop3-larger-than-announced", "pop3-far-larger-than-announced",
    ])
    func areRecordedOnceAndBlockNothing(_ transcript: String) async throws {
        var trial = try HostileTrial(transcript)
        trial.mailbox.diesWithTheLine = false
        let poll = try await trial.mailbox.poll()
        let vault = trial.mailbox.vault
        #expect(poll.error == nil && poll.failures.isEmpty, "\(poll)")
        #expect(
            Set(vault.kept.filter { !$0.isRefused }.map(\.bytes)) == Set(["one", "three"].map { trial.messages[$0]! }))
        let refused = vault.kept.filter(\.isRefused)
        #expect(refused.map(\.bytes) == [trial.messages["two"]!])
        #expect(poll.waiting == WaitingMail(count: 0))
        #expect(trial.deletions.count == 2)
        // The server still lists all three: the two are recognised, and nobody asks for the third.
        let lines = trial.server.lines.count
        let again = try await trial.mailbox.poll()
        #expect(again.error == nil && again.count == 2 && again.failures.isEmpty, "\(again)")
        #expect(vault.kept.filter(\.isRefused).count == 1)
        let asked = trial.server.lines.dropFirst(lines).filter { line in
            line.contains("RETR 2") || line.contains("TOP 2") || line.contains("FETCH 8") || line.contains("7:9")
        }
        #expect(asked.isEmpty, "\(asked)")
        #expect(trial.server.record.problems.isEmpty, "\(trial.server.record.problems)")
    }

    /// POP3 without TOP: nothing of them is seen, and still each is recorded as itself.
    @Test func areRecordedOneByOneWithoutAHeader() async throws {
        let trial = try HostileTrial("pop3-too-large-without-top")
        let poll = try await trial.mailbox.poll()
        #expect(poll.error == nil && poll.failures.isEmpty && poll.count == 3, "\(poll)")
        let refused = trial.mailbox.vault.kept.filter(\.isRefused)
        #expect(Set(refused.map(\.digest)).count == 2 && Set(refused.map(\.place)) == ["alpha", "beta"], "\(refused)")
        let lines = trial.server.lines.count
        #expect(try await trial.mailbox.poll().count == 1)
        #expect(!trial.server.lines.dropFirst(lines).contains { $0.hasPrefix("TOP") }, "nobody asks again")
        #expect(trial.server.record.problems.isEmpty)
    }

    /// A refusal for now is not "I know no TOP": nothing is recorded, and the next run asks again.
    @Test(arguments: ["pop3-top-unavailable", "pop3-top-throttled"])
    func areAskedForAgainAfterARefusalForNow(_ transcript: String) async throws {
        let trial = try HostileTrial(transcript)
        for _ in 1...2 {
            let lines = trial.server.lines.count
            let poll = try await trial.mailbox.poll()
            #expect(trial.mailbox.vault.kept.filter(\.isRefused).isEmpty, "\(poll)")
            #expect(trial.server.lines.dropFirst(lines).contains { $0.hasPrefix("TOP 2") })
        }
        #expect(!trial.deletions.contains(2))
    }

    /// What cannot be had waits on the server, and it is known since when.
    @Test func whatCannotBeHadWaits() async throws {
        var trial = try HostileTrial("imap-body-nil")
        trial.mailbox.diesWithTheLine = false
        let poll = try await trial.mailbox.poll()
        #expect(poll.failures.count == 1 && poll.waiting == WaitingMail(count: 1, oldestAt: 837_596_665), "\(poll)")
    }

    @Test(arguments: ["pop3-retr-refused"])
    func popDoesNotSaySinceWhen(_ transcript: String) async throws {
        let trial = try HostileTrial(transcript)
        let poll = try await trial.mailbox.poll()
        #expect(poll.failures.count == 1 && poll.waiting == WaitingMail(count: 1), "\(poll)")
    }
}

/// How much is still on the server.
@Suite(.enabled(if: DovecotServer.isUsable))
struct WaitingTests {
    @Test(arguments: DovecotLoginTests.schemes)
    func whatWasNotAcknowledgedWaits(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "waiting-\(scheme.rawValue)"
        for message in TrialMail.make(10) { try server.deliver(message, to: user) }
        var trial = try MailboxTrial(scheme, on: server, user: user, after: .keep)
        trial.batch = 2
        trial.disturbance = (after: 5, { throw CancellationError() })
        #expect(try await trial.poll().waiting == WaitingMail(count: 6))
        trial.disturbance = nil
        #expect(try await trial.poll().waiting == WaitingMail(count: 0))
        #expect(try await trial.poll().waiting == WaitingMail(count: 0))
    }
}
