import MailConnection
import MailFetch
import TestSupport
import Testing

/// POP3 over several connections in one run.
@Suite struct POP3LineTests {
    /// However often they end the line, the others come, and the run ends.
    @Test(arguments: [
        ("pop3-cut-after-wrong-size", ["two", "three"]), ("pop3-two-end-the-line", ["three"]),
        ("pop3-uidl-absent-cut", ["two", "three"]),
    ])
    func messagesThatEndTheLineHoldUpNobody(_ transcript: String, _ others: [String]) async throws {
        var harness = try HostileHarness(transcript)
        harness.mailbox.diesWithTheLine = false
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil, "\(poll)")
        #expect(poll.failures == Array(repeating: .messageUnavailable, count: 3 - others.count))
        #expect(harness.mailbox.ledger.messages == Set(others.compactMap { harness.messages[$0] }))
        #expect(harness.deletions.count == others.count)
    }

    /// A message filed from the first connection says nothing about one of its name on the second.
    @Test(arguments: [1, 16])
    func aNameThatIsAnotherMessagesOnTheNextConnection(_ batch: Int) async throws {
        var harness = try HostileHarness("pop3-uidl-reused-after-a-cut")
        harness.mailbox.diesWithTheLine = false
        harness.mailbox.batch = batch
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.failures.isEmpty, "\(poll)")
        #expect(harness.mailbox.ledger.messages == Set(["one", "two"].compactMap { harness.messages[$0] }))
        let last = try #require(harness.server.record.lines.last)
        let fetched = try #require(last.firstIndex(of: "RETR 1"), "\(last)")
        #expect(last.lastIndex(of: "DELE 1").map { $0 > fetched } ?? false, "\(last)")
    }
}
