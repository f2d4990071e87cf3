import Foundation
import TestSupport
import Testing

/// A mailbox that is not what it was at the last poll, seen from outside the program.
@Suite(.startsPrograms, .serialized, .enabled(if: DovecotServer.isUsable)) struct PollChangeTests {
    /// When a server numbers its messages anew, all of them come again, and none is filed twice.
    @Test(arguments: [MailboxSettings.Scheme.imaps, .pop3s])
    func anotherEpoch(_ scheme: MailboxSettings.Scheme) async throws {
        let harness = try await Self.kept(scheme)
        defer { harness.remove() }
        let before = try StoreSnapshot.rowCount(of: "email", in: harness.store.store)
        #expect(try await harness.pollWell().summary.seen == 0)
        try harness.server.changeUIDValidity(of: harness.user, to: 99)
        let again = try await harness.pollWell()
        #expect(again.summary.seen == harness.mail.count && again.lines.allSatisfy { $0.line.outcome == "duplicate" })
        #expect(try await harness.pollWell().summary.seen == 0)
        #expect(try StoreSnapshot.rowCount(of: "email", in: harness.store.store) == before)
        try harness.expectServerIsTold()
    }

    /// Another server with equal names, numbers and sizes has other messages.
    @Test(arguments: [MailboxSettings.Scheme.imaps, .pop3s])
    func anotherServerUnderTheSameName(_ scheme: MailboxSettings.Scheme) async throws {
        let harness = try await Self.kept(scheme)
        defer { harness.remove() }
        let other = try DovecotServer()
        defer { other.stop() }
        // The length stays: only the place of a letter differs.
        let changed = harness.mail.map { message in
            Array(
                String(decoding: message.wireBytes, as: UTF8.self).replacingOccurrences(of: "crash.", with: "other.")
                    .utf8)
        }
        for message in changed { try other.deliver(message, to: harness.user) }
        try other.changeUIDValidity(of: harness.user, to: PollHarness.epoch)
        let settings = try MailboxSettings("funds", scheme, at: other, user: harness.user, after: "keep")
        try harness.store.configure(settings)
        let first = try await harness.pollWell()
        #expect(first.summary.seen == harness.mail.count)
        #expect(first.lines.map(\.line.outcome).sorted() == harness.mail.map(\.outcome).sorted())
        #expect(try await harness.pollWell().summary.seen == 0)
        // And back: all its messages were filed before.
        try harness.store.configure(
            MailboxSettings("funds", scheme, at: harness.server, user: harness.user, after: "keep"))
        let back = try await harness.pollWell()
        #expect(back.lines.count == harness.mail.count && back.lines.allSatisfy { $0.line.outcome == "duplicate" })
        let verified = try await harness.store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    /// A message that is too large stays there and does not hide others: what was filed when a poll was killed is
    /// acknowledged by the next one.
    @Test(arguments: [MailboxSettings.Scheme.imaps, .pop3s])
    func deathBesideAMessageThatIsTooLarge(_ scheme: MailboxSettings.Scheme) async throws {
        let empty = try await ReplayStore()
        defer { empty.remove() }
        let large = CrashMail.Message(
            name: "large.eml",
            bytes: Array(
                "From: ann@example.com\nSubject: [Fund1] large\n\n\(String(repeating: "x\n", count: 30_000))".utf8),
            outcome: "rejected")
        var harness = try PollHarness(
            scheme, mail: [large] + CrashMail.messages(8), empty: empty, others: "limits: {message: 40KB}")
        defer { harness.remove() }
        let died = try await harness.poll(["FUNDMAIL_FAILPOINT": "before_acknowledge"])
        try #require(died.wasKilled, "\(died)")
        #expect(try harness.waiting == harness.mail.count)
        _ = try await harness.pollWell()
        #expect(try harness.server.mail(of: harness.user).map(\.bytes) == [large.wireBytes])
        #expect(try await harness.pollWell().summary.seen == 0)
        // Its header alone would route well, and make an email without a body.
        let retried = try await harness.store.run("misrouted", "retry")
        #expect(retried.isSuccess, "\(retried)")
        let before = try await harness.store.run("report", "misrouted", "--format", "json")
        #expect(before.isSuccess && before.output.contains("too_large"), "\(before)")
        // With another limit it comes whole, and its entry in the report is done with.
        harness.store.program.environment = [:]
        try harness.store.configure(MailboxSettings("funds", scheme, at: harness.server, user: harness.user))
        let whole = try await harness.pollWell()
        #expect(whole.lines.map(\.line.outcome) == ["filed"])
        #expect(try harness.waiting == 0)
        let report = try await harness.store.run("report", "misrouted", "--format", "json")
        #expect(report.isSuccess && !report.output.contains("too_large"), "\(report)")
    }

    /// A polled mailbox of which everything stays on the server.
    private static func kept(_ scheme: MailboxSettings.Scheme) async throws -> PollHarness {
        let empty = try await ReplayStore()
        defer { empty.remove() }
        let harness = try PollHarness(scheme, after: "keep", mail: CrashMail.messages(20), empty: empty)
        let first = try await harness.pollWell()
        #expect(first.lines.map(\.line.outcome).sorted() == harness.mail.map(\.outcome).sorted())
        return harness
    }
}
