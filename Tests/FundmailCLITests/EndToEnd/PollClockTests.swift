import Foundation
import TestSupport
import Testing

/// With a wrong or jumping clock nothing is fetched again, nothing is filed twice, and every wait ends when it should.
@Suite(.startsPrograms, .serialized, .enabled(if: DovecotServer.isUsable && Faketime.isUsable)) struct PollClockTests {
    /// Without certificates, which are right only at their time.
    private static func harness(_ scheme: MailboxSettings.Scheme, after: String, messages: Int) async throws
        -> PollHarness
    {
        let empty = try await ReplayStore()
        defer { empty.remove() }
        let harness = try PollHarness(scheme, after: after, mail: CrashMail.messages(messages), empty: empty)
        try harness.store.configure(settings(of: harness))
        return harness
    }

    private static func settings(of harness: PollHarness) throws -> MailboxSettings {
        var settings = try MailboxSettings(
            "funds", harness.scheme, at: harness.server, user: harness.user, after: harness.after)
        settings.caFile = nil
        settings.lines.append("tls: off")
        return settings
    }

    @Test(arguments: [MailboxSettings.Scheme.imap, .pop3])
    func aYearAheadAndBack(_ scheme: MailboxSettings.Scheme) async throws {
        let harness = try await Self.harness(scheme, after: "keep", messages: 20)
        defer { harness.remove() }
        #expect(try await harness.pollWell().summary.seen == harness.mail.count)
        for (round, days) in [365, -365, 0].enumerated() {
            let words = days == 0 ? [] : Faketime.shifted(byDays: days)
            #expect(try await harness.pollWell(words).summary.seen == 0, "\(days) days")
            let text = "From: ann@example.com\r\nSubject: [Fund1] clock \(round)\r\n\r\nHello.\r\n"
            try harness.server.deliver(Array(text.utf8), to: harness.user)
            #expect(try await harness.pollWell(words).lines.map(\.line.outcome) == ["filed"], "\(days) days")
            #expect(try await harness.pollWell().summary.seen == 0, "\(days) days")
        }
        let verified = try await harness.store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
        let status = try await harness.store.run("mailbox", "status")
        #expect(status.isSuccess, "\(status)")
    }

    /// A clock that is a year ahead for one run does not purge files that a user deleted today.
    @Test func aYearAheadRemovesNothing() async throws {
        let harness = try await Self.harness(.imap, after: "keep", messages: 12)
        defer { harness.remove() }
        try harness.store.configure([Self.settings(of: harness)], others: "retention: {raw: 30}")
        // The clock is known, and was right for long.
        for days in [-3, -2, 0] { _ = try await harness.pollWell(Faketime.shifted(byDays: days)) }
        let files = { try harness.store.snapshot().files.filter { $0.hasPrefix("raw/") } }
        let kept = try files()
        #expect(kept.count > 5)
        _ = try await harness.pollWell(Faketime.shifted(byDays: 365))
        #expect(try files() == kept, "a jump is not believed")
        _ = try await harness.pollWell(Faketime.shifted(byDays: 366))
        #expect(try files().count < kept.count, "a day later it is")
    }

    /// A certificate that is right today is not right in a year: said as what it is, and nothing is lost.
    @Test func certificatesHaveTheirTime() async throws {
        let harness = try await Self.harness(.imaps, after: "delete", messages: 4)
        defer { harness.remove() }
        try harness.store.configure(MailboxSettings("funds", .imaps, at: harness.server, user: harness.user))
        let done = try await harness.store.with([:], prefix: Faketime.shifted(byDays: 365)).run("poll")
        #expect(done.status == 69 && done.errors.contains("does not prove that it is localhost"), "\(done)")
        #expect(try await harness.pollWell().summary.seen == harness.mail.count)
    }

    /// The clock jumps all the time while one server is polled, and while nothing is to be heard of another.
    @Test func deadlinesDoNotFollowTheClock() async throws {
        let harness = try await Self.harness(.imap, after: "delete", messages: 200)
        defer { harness.remove() }
        let silent = try LoopbackServer { _, socket in
            while !LoopbackSocket.receive(socket).isEmpty {}
        }
        defer { silent.stop() }
        var dead = try MailboxSettings("dead", url: "imap://ann@localhost:\(silent.port)")
        dead.caFile = nil
        try harness.store.configure(Self.settings(of: harness), dead)
        let file = harness.store.folder + "/clock"
        try Faketime.set(file, days: 0)
        let running = try harness.store.with([:], prefix: Faketime.following(file)).program.start(
            harness.store.arguments(["poll", "--json"]))
        let jumping = Task {
            for round in 0... {
                try Faketime.set(file, days: [365, -365, 3650, 0][round % 4])
                // The clock jumps at any moment of another process, which has to do something in between.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        let done = try await running.wait()
        jumping.cancel()
        #expect(done.status == 69 && done.errors.contains("Mailbox dead"), "\(done.status) \(done.errors)")
        #expect(done.errors.contains("in time") && !done.errors.contains("Mailbox funds"), "\(done.errors)")
        // The greeting is waited for 30 s.
        #expect(done.seconds > 10 && done.seconds < 200, "\(done.seconds) s")
        let run = try MessageLine.read(done.output)
        #expect(run.lines.map(\.line.outcome).sorted() == harness.mail.map(\.outcome).sorted())
        try harness.expectServerIsTold(done.errors)
    }
}
