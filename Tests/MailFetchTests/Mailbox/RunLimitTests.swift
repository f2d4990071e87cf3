import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// A run has limits for slow messages and for slow servers, and no message is lost when one is reached.
@Suite struct RunLimitTests {
    /// The slow message is left on the server, and those behind it are fetched.
    @Test(arguments: ["imap-slow-in-front", "pop3-slow-in-front"])
    func aSlowMessageHoldsUpNoOther(_ transcript: String) async throws {
        var harness = try HostileHarness(transcript)
        defer { harness.server.stop() }
        harness.mailbox.diesWithTheLine = false
        harness.mailbox.access.messageLimit = .seconds(8)
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.failures == [.messageUnavailable], "\(poll)")
        #expect(harness.mailbox.ledger.messages == Set(["two", "three"].map { harness.messages[$0]! }))
        #expect(poll.waiting?.count == 1 && harness.deletions.count == 2)
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// No single message is slow, but all of them together are.
    @Test(arguments: ["imap-slow-run", "pop3-slow-run"])
    func aSlowRunEndsAndTheNextGoesOn(_ transcript: String) async throws {
        var harness = try HostileHarness(transcript)
        defer { harness.server.stop() }
        harness.mailbox.diesWithTheLine = false
        harness.mailbox.access.runLimit = .seconds(6)
        harness.mailbox.batch = 1
        harness.mailbox.finishesAfterErrors = true
        let poll = try await harness.mailbox.poll()
        #expect(poll.code == .runLimit && poll.count <= 2, "\(poll)")
        // The server was told over another connection what is durable here.
        #expect(harness.deletions.count == poll.count, "\(harness.server.lines)")
        #expect(poll.count == 0 || harness.server.connections == 2)
        harness.mailbox.access.runLimit = nil
        let next = try await harness.mailbox.poll()
        #expect(next.error == nil && next.failures.isEmpty, "\(next)")
        #expect(harness.mailbox.ledger.messages == Set(["one", "two", "three"].map { harness.messages[$0]! }))
    }
}
