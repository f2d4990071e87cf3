import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// Mail that is kept but not filed may go another way on the server than mail that is.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct AfterMisroutedTests {
    /// The even ones of 40 messages are filed. The last one repeats a misrouted one, the one before it a filed one.
    private static let mail = TestMail.make(40) + [TestMail.make(1, from: 2)[0], TestMail.make(1, from: 3)[0]]
    private static let filed = mail.filter { !isMisrouted($0) }
    private static let misrouted = mail.filter { isMisrouted($0) }

    private static func isMisrouted(_ message: [UInt8]) -> Bool { (message.dropLast(2).last ?? 0) % 2 == 1 }

    private func harness(
        _ user: String, _ scheme: MailServerAddress.Scheme, after: MailboxAccess.After,
        afterMisrouted: MailboxAccess.After, on server: DovecotServer
    ) throws -> MailboxHarness {
        for message in Self.mail { try server.deliver(message, to: user) }
        var harness = try MailboxHarness(scheme, on: server, user: user, after: after)
        harness.access.afterMisrouted = afterMisrouted
        harness.isMisrouted = Self.isMisrouted
        return harness
    }

    /// Also what the next run, and one after an administrator filed what was kept, make of it.
    @Test(arguments: DovecotLoginTests.schemes)
    func deleteWhatIsFiledAndKeepTheRest(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "misrouted-\(scheme.rawValue)"
        let harness = try harness(user, scheme, after: .delete, afterMisrouted: .keep, on: server)
        let poll = try await harness.poll()
        #expect(poll.error == nil && harness.ledger.kept.map(\.bytes) == Self.mail)
        #expect(try server.mail(of: user).map(\.bytes) == Self.misrouted)
        #expect(try await harness.poll().count == 0)
        harness.ledger.fileEverything()
        var second = harness
        second.isMisrouted = { _ in false }
        #expect(try await second.poll().count == Self.misrouted.count)
        #expect(try server.mail(of: user).isEmpty)
    }

    @Test(arguments: DovecotLoginTests.schemes)
    func keepWhatIsFiledAndDeleteTheRest(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "kept-\(scheme.rawValue)"
        let harness = try harness(user, scheme, after: .keep, afterMisrouted: .delete, on: server)
        #expect(try await harness.poll().error == nil)
        #expect(try server.mail(of: user).map(\.bytes) == Self.filed)
        #expect(try await harness.poll().count == 0)
    }

    /// In the same run, and with folders that are not there yet.
    @Test(arguments: [nil, "IMAP4rev1"])
    func moveBothToFoldersOfTheirOwn(_ capability: String?) async throws {
        var options = DovecotServer.Options()
        options.capability = capability
        let server = try DovecotServer(options)
        defer { server.stop() }
        let harness = try harness(
            "sorter", .imaps, after: .move(folder: "Filed"), afterMisrouted: .move(folder: "Look here"), on: server)
        let poll = try await harness.poll()
        #expect(poll.error == nil && poll.count == Self.mail.count)
        #expect(try server.mail(of: "sorter").isEmpty)
        #expect(try server.mail(of: "sorter", folder: "Filed").map(\.bytes) == Self.filed)
        #expect(try server.mail(of: "sorter", folder: "Look here").map(\.bytes) == Self.misrouted)
    }

    @Test func deleteWhatIsFiledAndFlagTheRest() async throws {
        let server = try DovecotServer.shared.get()
        let harness = try harness(
            "flagger", .imaps, after: .delete, afterMisrouted: .flag("\\Flagged"), on: server)
        #expect(try await harness.poll().error == nil)
        let left = try server.mail(of: "flagger")
        #expect(left.map(\.bytes) == Self.misrouted && left.allSatisfy { $0.flags == ["F"] })
        #expect(try await harness.poll().count == 0)
    }

    @Test func popCanOnlyDeleteOrKeep() async throws {
        let server = try DovecotServer.shared.get()
        let harness = try harness("popper", .pop3s, after: .delete, afterMisrouted: .move(folder: "x"), on: server)
        await #expect(throws: ConnectionError.self) { try await harness.poll() }
    }
}
