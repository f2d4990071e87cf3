import FundCore
import MailFetch
import TestSupport
import Testing

/// A server that takes hours holds nobody up for so long, and nothing is lost by it.
@Suite struct RunLimitTests {
    /// It is left on the server, and those behind it come.
    @Test(arguments: ["imap-slow-in-front", "pop3-slow-in-front"])
    func aSlowMessageHoldsUpNoOther(_ transcript: String) async throws {
        var trial = try HostileTrial(transcript)
        defer { trial.server.stop() }
        trial.mailbox.diesWithTheLine = false
        trial.mailbox.access.messageLimit = .seconds(8)
        let poll = try await trial.mailbox.poll()
        #expect(poll.error == nil && poll.failures == [.messageUnavailable], "\(poll)")
        #expect(trial.mailbox.vault.messages == Set(["two", "three"].map { trial.messages[$0]! }))
        #expect(poll.waiting?.count == 1 && trial.deletions.count == 2)
        #expect(trial.server.record.problems.isEmpty, "\(trial.server.record.problems)")
    }

    /// No single message is slow, but all of them together are.
    @Test(arguments: ["imap-slow-run", "pop3-slow-run"])
    func aSlowRunEndsAndTheNextGoesOn(_ transcript: String) async throws {
        var trial = try HostileTrial(transcript)
        defer { trial.server.stop() }
        trial.mailbox.diesWithTheLine = false
        trial.mailbox.access.runLimit = .seconds(6)
        trial.mailbox.batch = 1
        trial.mailbox.finishesAfterErrors = true
        let poll = try await trial.mailbox.poll()
        #expect(poll.code == .runLimit && poll.count <= 2, "\(poll)")
        // What is durable here was told to the server over another connection.
        #expect(trial.deletions.count == poll.count, "\(trial.server.lines)")
        #expect(poll.count == 0 || trial.server.connections == 2)
        trial.mailbox.access.runLimit = nil
        let next = try await trial.mailbox.poll()
        #expect(next.error == nil && next.failures.isEmpty, "\(next)")
        #expect(trial.mailbox.vault.messages == Set(["one", "two", "three"].map { trial.messages[$0]! }))
    }
}
