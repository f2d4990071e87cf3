import MailConnection
import Foundation
import FundCore
import MailFetch
import Synchronization
import TestSupport
import Testing

/// Waiting for mail between runs on one connection, and being told to end.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct DovecotWaitingTests {
    /// Counts how often the server said that it has begun to wait.
    private final class Waits: Sendable {
        private let count = Mutex(0)

        /// Notes those of a mailbox.
        func follow(_ harness: inout MailboxHarness) {
            let isIdle = Mutex(false)
            harness.access.transcript = Transcript { [self] line in
                isIdle.withLock { isIdle in
                    if line.hasPrefix("C: ") { isIdle = line.hasSuffix(" IDLE") }
                    if isIdle, line == "S: +" { count.withLock { $0 += 1 } }
                }
            }
        }

        func become(_ wanted: Int) async throws { try await eventually { count.withLock { $0 } == wanted } }
    }

    @Test func idleSeesANewMessage() async throws {
        let server = try DovecotServer.shared.get()
        let mail = TestMail.make(3)
        try server.deliver(mail[0], to: "idler")
        var harness = try MailboxHarness(.imaps, on: server, user: "idler", after: .delete)
        let waits = Waits()
        waits.follow(&harness)
        let folder = try TestFile.makeFolder("idle")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = SpoolDirectory(path: folder)
        let source = try ServerMailbox(harness.access, in: MailboxServices(spool: spool, ledger: harness.ledger))
        for (number, message) in mail.enumerated() {
            if number > 0 {
                async let waited = source.waitForMail(atMost: .seconds(60))
                try await waits.become(number)
                try server.deliver(message, to: "idler")
                #expect(try await waited == .newMail)
            }
            let pending = try #require(try await source.next(atMost: 1).first)
            let spooled = try pending.spool(spool)
            #expect(try spooled.bytes() == message)
            #expect(try await source.next(atMost: 1).isEmpty)
            try await source.finish()
        }
        #expect(try await source.waitForMail(atMost: .milliseconds(200)) == .nothing)
        await source.close()
    }

    /// Without IDLE it waits, and the next listing finds what came.
    @Test func waitingWithoutIdle() async throws {
        var options = DovecotServer.Options()
        options.capability = "IMAP4rev1 UIDPLUS"
        let server = try DovecotServer(options)
        defer { server.stop() }
        let harness = try MailboxHarness(.imaps, on: server, user: "waiter", after: .delete)
        let folder = try TestFile.makeFolder("wait")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = SpoolDirectory(path: folder)
        let source = try ServerMailbox(harness.access, in: MailboxServices(spool: spool, ledger: harness.ledger))
        #expect(try await source.next(atMost: 1).isEmpty)
        try await source.finish()
        try server.deliver(TestMail.make(1)[0], to: "waiter")
        #expect(try await source.waitForMail(atMost: .milliseconds(100)) == .nothing)
        #expect(try await source.next(atMost: 1).count == 1)
        await source.close()
    }

    /// A message that a plain EXPUNGE removed is not waited for: the next message is news.
    @Test func newMailIsSeenWithoutUIDPLUS() async throws {
        var options = DovecotServer.Options()
        options.capability = "IMAP4rev1 IDLE"
        let server = try DovecotServer(options)
        defer { server.stop() }
        let mail = TestMail.make(4)
        for message in mail[..<3] { try server.deliver(message, to: "plain-idler") }
        var harness = try MailboxHarness(.imaps, on: server, user: "plain-idler", after: .delete)
        let waits = Waits()
        waits.follow(&harness)
        let folder = try TestFile.makeFolder("idle")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = SpoolDirectory(path: folder)
        let source = try ServerMailbox(harness.access, in: MailboxServices(spool: spool, ledger: harness.ledger))
        var poll = MailboxHarness.Poll()
        try await harness.run(source, spool, &poll)
        #expect(poll.count == 3)
        async let waited = source.waitForMail(atMost: .seconds(60))
        try await waits.become(1)
        try server.deliver(mail[3], to: "plain-idler")
        #expect(try await waited == .newMail)
        await source.close()
    }

    @Test func aCancellationEndsAnIdleAtOnce() async throws {
        let server = try DovecotServer.shared.get()
        let cancellation = Cancellation()
        var harness = try MailboxHarness(.imaps, on: server, user: "cancelled-idler")
        let waits = Waits()
        waits.follow(&harness)
        let folder = try TestFile.makeFolder("idle")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let source = try ServerMailbox(
            harness.access,
            in: MailboxServices(
                spool: SpoolDirectory(path: folder), ledger: harness.ledger, cancellation: cancellation))
        async let waited = source.waitForMail(atMost: .seconds(300))
        try await waits.become(1)
        let begin = ContinuousClock.now
        cancellation.cancel()
        #expect(try await waited == .cancelled)
        #expect(.now - begin < .seconds(60))
        await source.close()
    }

    /// SIGTERM in the middle of a run: no message is waited for any more, but what is durable is still told.
    @Test(arguments: [MailServerAddress.Scheme.imaps, .pop3s])
    func whatIsDurableIsToldAfterACancellation(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let (user, cancellation) = ("cancelled-\(scheme.rawValue)", Cancellation())
        for message in TestMail.make(100) { try server.deliver(message, to: user) }
        var harness = try MailboxHarness(scheme, on: server, user: user, after: .delete)
        harness.batch = 64
        harness.disturbance = (after: 10, { cancellation.cancel() })
        let poll = try await harness.poll(cancellation: cancellation)
        #expect(poll.error == nil && (10..<100).contains(poll.count), "\(poll)")
        #expect(try server.mail(of: user).count == 100 - poll.count)
    }
}
