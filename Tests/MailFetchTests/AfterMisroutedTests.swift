import FundCore
import MailFetch
import TestSupport
import Testing

/// Mail that is kept but not filed may go another way on the server than mail that is.
@Suite(.enabled(if: DovecotServer.isUsable))
struct AfterMisroutedTests {
    /// Of 40 messages the even ones are filed. The last one repeats a misrouted one, the one before it a filed one.
    private static let mail = TrialMail.make(40) + [TrialMail.make(1, from: 2)[0], TrialMail.make(1, from: 3)[0]]
    private static let filed = mail.filter { !isMisrouted($0) }
    private static let misrouted = mail.filter { isMisrouted($0) }

    private static func isMisrouted(_ message: [UInt8]) -> Bool { (message.dropLast(2).last ?? 0) % 2 == 1 }

    private func trial(
        _ user: String, _ scheme: MailServerAddress.Scheme, after: MailboxAccess.After,
        afterMisrouted: MailboxAccess.After, on server: DovecotServer
    ) throws -> MailboxTrial {
        for message in Self.mail { try server.deliver(message, to: user) }
        var trial = try MailboxTrial(scheme, on: server, user: user, after: after)
        trial.access.afterMisrouted = afterMisrouted
        trial.isMisrouted = Self.isMisrouted
        return trial
    }

    /// Also what the next run, and one after an administrator filed what was kept, make of it.
    @Test(arguments: DovecotLoginTests.schemes)
    func deleteWhatIsFiledAndKeepTheRest(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "misrouted-\(scheme.rawValue)"
        let trial = try trial(user, scheme, after: .delete, afterMisrouted: .keep, on: server)
        let poll = try await trial.poll()
        #expect(poll.error == nil && trial.vault.kept.map(\.bytes) == Self.mail)
        #expect(try server.mail(of: user).map(\.bytes) == Self.misrouted)
        #expect(try await trial.poll().count == 0)
        trial.vault.fileEverything()
        var second = trial
        second.isMisrouted = { _ in false }
        #expect(try await second.poll().count == Self.misrouted.count)
        #expect(try server.mail(of: user).isEmpty)
    }

    @Test(arguments: DovecotLoginTests.schemes)
    func keepWhatIsFiledAndDeleteTheRest(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "kept-\(scheme.rawValue)"
        let trial = try trial(user, scheme, after: .keep, afterMisrouted: .delete, on: server)
        #expect(try await trial.poll().error == nil)
        #expect(try server.mail(of: user).map(\.bytes) == Self.filed)
        #expect(try await trial.poll().count == 0)
    }

    /// In the same run, and with folders that are not there yet.
    @Test(arguments: [nil, "IMAP4rev1"])
    func moveBothToFoldersOfTheirOwn(_ capability: String?) async throws {
        var options = DovecotServer.Options()
        options.capability = capability
        let server = try DovecotServer(options)
        defer { server.stop() }
        let trial = try trial(
            "sorter", .imaps, after: .move(folder: "Filed"), afterMisrouted: .move(folder: "Look here"), on: server)
        let poll = try await trial.poll()
        #expect(poll.error == nil && poll.count == Self.mail.count)
        #expect(try server.mail(of: "sorter").isEmpty)
        #expect(try server.mail(of: "sorter", folder: "Filed").map(\.bytes) == Self.filed)
        #expect(try server.mail(of: "sorter", folder: "Look here").map(\.bytes) == Self.misrouted)
    }

    @Test func deleteWhatIsFiledAndFlagTheRest() async throws {
        let server = try DovecotServer.shared.get()
        let trial = try trial(
            "flagger", .imaps, after: .delete, afterMisrouted: .flag("\\Flagged"), on: server)
        #expect(try await trial.poll().error == nil)
        let left = try server.mail(of: "flagger")
        #expect(left.map(\.bytes) == Self.misrouted && left.allSatisfy { $0.flags == ["F"] })
        #expect(try await trial.poll().count == 0)
    }

    @Test func popCanOnlyDeleteOrKeep() async throws {
        let server = try DovecotServer.shared.get()
        let trial = try trial("popper", .pop3s, after: .delete, afterMisrouted: .move(folder: "x"), on: server)
        await #expect(throws: FetchError.self) { try await trial.poll() }
    }
}
