import Foundation
import TestSupport
import Testing

/// A mailbox that is not what it was at the last poll, seen from outside the program.
@Suite(.serialized, .enabled(if: DovecotServer.isUsable)) struct PollChangeTests {
    /// R4: a server that numbers its messages anew has all of them come again, and none is filed twice.
    @Test(arguments: [MailboxSettings.Scheme.imaps, .pop3s])
    func anotherEpoch(_ scheme: MailboxSettings.Scheme) async throws {
        let trial = try await Self.kept(scheme)
        defer { trial.remove() }
        let before = try StoreSnapshot.rowCount(of: "email", in: trial.store.store)
        #expect(try await trial.pollWell().summary.seen == 0)
        try trial.server.changeUIDValidity(of: trial.user, to: 99)
        let again = try await trial.pollWell()
        #expect(again.summary.seen == trial.mail.count && again.lines.allSatisfy { $0.line.outcome == "duplicate" })
        #expect(try await trial.pollWell().summary.seen == 0)
        #expect(try StoreSnapshot.rowCount(of: "email", in: trial.store.store) == before)
        try trial.expectServerIsTold()
    }

    /// The same name, the same numbers, the same sizes, but another server: other messages.
    @Test(arguments: [MailboxSettings.Scheme.imaps, .pop3s])
    func anotherServerUnderTheSameName(_ scheme: MailboxSettings.Scheme) async throws {
        let trial = try await Self.kept(scheme)
        defer { trial.remove() }
        let other = try DovecotServer()
        defer { other.stop() }
        // Of the same length: only the place of a letter differs.
        let changed = trial.mail.map { message in
            Array(
                String(decoding: message.wireBytes, as: UTF8.self).replacingOccurrences(of: "crash.", with: "other.")
                    .utf8)
        }
        for message in changed { try other.deliver(message, to: trial.user) }
        try other.changeUIDValidity(of: trial.user, to: PollTrial.epoch)
        let settings = try MailboxSettings("funds", scheme, at: other, user: trial.user, after: "keep")
        try trial.store.configure(settings)
        let first = try await trial.pollWell()
        #expect(first.summary.seen == trial.mail.count)
        #expect(first.lines.map(\.line.outcome).sorted() == trial.mail.map(\.outcome).sorted())
        #expect(try await trial.pollWell().summary.seen == 0)
        // And back: what is there was filed long ago.
        try trial.store.configure(MailboxSettings("funds", scheme, at: trial.server, user: trial.user, after: "keep"))
        let back = try await trial.pollWell()
        #expect(back.lines.count == trial.mail.count && back.lines.allSatisfy { $0.line.outcome == "duplicate" })
        let verified = try await trial.store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    /// What is too large stays there, and hides nobody else: whatever was filed when a poll died is let go of by the next one.
    @Test(arguments: [MailboxSettings.Scheme.imaps, .pop3s])
    func deathBesideAMessageThatIsTooLarge(_ scheme: MailboxSettings.Scheme) async throws {
        let empty = try await ReplayStore()
        defer { empty.remove() }
        let large = CrashMail.Message(
            name: "large.eml",
            bytes: Array(
                "From: ann@example.com\nSubject: [Fund1] large\n\n\(String(repeating: "x\n", count: 30_000))".utf8),
            outcome: "rejected")
        var trial = try PollTrial(
            scheme, mail: [large] + CrashMail.messages(8), empty: empty, others: "limits: {message: 40KB}")
        defer { trial.remove() }
        let died = try await trial.poll(["FUNDMAIL_FAILPOINT": "before_acknowledge"])
        try #require(died.wasKilled, "\(died)")
        #expect(try trial.waiting == trial.mail.count)
        _ = try await trial.pollWell()
        #expect(try trial.server.mail(of: trial.user).map(\.bytes) == [large.wireBytes])
        #expect(try await trial.pollWell().summary.seen == 0)
        // Its header alone would route well, and make an email without a body.
        let retried = try await trial.store.run("misrouted", "retry")
        #expect(retried.isSuccess, "\(retried)")
        let before = try await trial.store.run("report", "misrouted", "--format", "json")
        #expect(before.isSuccess && before.output.contains("too_large"), "\(before)")
        // With another limit it comes whole, and its entry in the report is done with.
        trial.store.program.environment = [:]
        try trial.store.configure(MailboxSettings("funds", scheme, at: trial.server, user: trial.user))
        let whole = try await trial.pollWell()
        #expect(whole.lines.map(\.line.outcome) == ["filed"])
        #expect(try trial.waiting == 0)
        let report = try await trial.store.run("report", "misrouted", "--format", "json")
        #expect(report.isSuccess && !report.output.contains("too_large"), "\(report)")
    }

    /// A polled mailbox of which everything stays on the server.
    private static func kept(_ scheme: MailboxSettings.Scheme) async throws -> PollTrial {
        let empty = try await ReplayStore()
        defer { empty.remove() }
        let trial = try PollTrial(scheme, after: "keep", mail: CrashMail.messages(20), empty: empty)
        let first = try await trial.pollWell()
        #expect(first.lines.map(\.line.outcome).sorted() == trial.mail.map(\.outcome).sorted())
        return trial
    }
}
