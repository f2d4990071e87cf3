import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// Waiting for mail at servers that make it hard.
@Suite struct IdleTests {
    /// Whether an orderly run over a mailbox of three is followed by what `waiting` expects.
    private static func check(
        _ transcript: String, _ deadline: (inout FetchDeadlines) -> Void,
        _ waiting: (ServerMailbox) async throws -> Void
    ) async throws -> HostileHarness {
        var harness = try HostileHarness(transcript)
        deadline(&harness.mailbox.access.deadlines)
        let spool = SpoolDirectory(path: try TestFile.makeFolder("idle"))
        let source = try ServerMailbox(
            harness.mailbox.access, in: MailboxServices(spool: spool, ledger: harness.mailbox.ledger))
        var count = 0
        while case let chunk = try await source.next(atMost: 8), !chunk.isEmpty {
            for pending in chunk { _ = try pending.spool(spool) }
            count += chunk.count
        }
        #expect(count == 3)
        try await source.finish()
        try await waiting(source)
        await source.close()
        return harness
    }

    @Test func aServerThatEndsItAtOnceIsNotAskedAgainAndAgain() async throws {
        let harness = try await Self.check("imap-idle-ends-by-itself") {
            $0.shortestIdle = .seconds(60)
        } _: { source in
            let waited = try await source.waitForMail(atMost: .seconds(1))
            let canIdle = await source.canIdle
            #expect(waited == .nothing && !canIdle)
        }
        #expect(harness.server.lines.filter { $0.hasSuffix("IDLE") }.count == 1)
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    @Test func aServerThatTalksOnAndOnIsLeft() async throws {
        // No clock ends it: the answer to DONE may take far longer than this test.
        _ = try await Self.check("imap-idle-floods") {
            $0.response = .seconds(600)
        } _: { source in
            let error = await #expect(throws: ConnectionError.self) {
                try await source.waitForMail(atMost: .milliseconds(500))
            }
            #expect(error?.code == .timedOut)
        }
    }
}
