import MailConnection
import MailFetch
import TestSupport
import Testing

/// Actions on the server's copy.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct DovecotAfterTests {
    private let mail = TestMail.make(40)

    private func deliver(to user: String, on server: DovecotServer) throws {
        for message in mail { try server.deliver(message, to: user) }
    }

    @Test(arguments: DovecotLoginTests.schemes)
    func delete(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "delete-\(scheme.rawValue)"
        try deliver(to: user, on: server)
        let harness = try MailboxHarness(scheme, on: server, user: user, after: .delete)
        let poll = try await harness.poll()
        #expect(poll.error == nil && harness.ledger.kept.map(\.bytes) == mail)
        #expect(try server.mail(of: user).isEmpty)
        let again = try await harness.poll()
        #expect(again.error == nil && again.count == 0)
    }

    /// Dovecot expunges nothing, and says OK, when STORE and UID EXPUNGE of many messages come in one flight.
    @Test func deleteMany() async throws {
        let server = try DovecotServer.shared.get()
        let mail = TestMail.make(1100, bytes: 100)
        for message in mail { try server.deliver(message, to: "delete-many") }
        var harness = try MailboxHarness(.imaps, on: server, user: "delete-many", after: .delete)
        harness.batch = 256
        let poll = try await harness.poll()
        #expect(poll.error == nil && poll.count == mail.count)
        #expect(try server.mail(of: "delete-many").count == 0)
    }

    @Test(arguments: DovecotLoginTests.schemes)
    func keepReadsNothingTwiceAndMarksNothing(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "keep-\(scheme.rawValue)"
        try deliver(to: user, on: server)
        let harness = try MailboxHarness(scheme, on: server, user: user, after: .keep)
        #expect(try await harness.poll().count == 40)
        #expect(try await harness.poll().count == 0)
        try server.deliver(TestMail.make(1, from: 99)[0], to: user)
        #expect(try await harness.poll().count == 1)
        let left = try server.mail(of: user)
        // `\Seen` would be the letter S; over POP3 it is Dovecot itself that sets it.
        #expect(left.count == 41 && left.allSatisfy { !scheme.isIMAP || $0.flags.isEmpty })
    }

    @Test(arguments: ["\\Flagged", "$Filed"])
    func flag(_ flag: String) async throws {
        let server = try DovecotServer.shared.get()
        let user = "flag-\(flag.dropFirst())"
        try deliver(to: user, on: server)
        let harness = try MailboxHarness(.imaps, on: server, user: user, after: .flag(flag))
        let poll = try await harness.poll()
        #expect(poll.error == nil && poll.count == 40)
        // `a` is the first keyword of a Maildir.
        let letter: Set<Character> = flag == "$Filed" ? ["a"] : ["F"]
        #expect(try server.mail(of: user).map(\.flags) == Array(repeating: letter, count: 40))
        #expect(try await harness.poll().count == 0)
    }

    @Test(arguments: ["Processed", "Old & new/Käse"])
    func move(_ folder: String) async throws {
        let server = try DovecotServer.shared.get()
        let user = "move-\(folder.utf8.count)"
        try deliver(to: user, on: server)
        let harness = try MailboxHarness(.imaps, on: server, user: user, after: .move(folder: folder))
        let poll = try await harness.poll()
        #expect(poll.error == nil && poll.count == 40)
        #expect(try server.mail(of: user).isEmpty)
        // Maildir++ writes a folder in modified UTF-7 (RFC 3501 §5.1.3) with dots.
        let name = folder == "Processed" ? folder : "Old &- new.K&AOQ-se"
        let moved = try server.mail(of: user, folder: name)
        #expect(
            moved.count == 40 && Set(moved.map(\.bytes)) == Set(mail) && moved.allSatisfy { !$0.flags.contains("S") })
    }

    /// Without MOVE, messages are copied and deleted; without UIDPLUS, those marked by another client stay.
    @Test func serversWithoutExtensions() async throws {
        var options = DovecotServer.Options()
        options.capability = "IMAP4rev1"
        let server = try DovecotServer(options)
        defer { server.stop() }
        for user in ["plain-delete", "plain-delete-alone", "plain-move"] { try deliver(to: user, on: server) }
        let other = TestMail.make(1, from: 500)[0]
        var harness = try MailboxHarness(.imaps, on: server, user: "plain-delete")
        // Another client marks a message as deleted that came after the listing.
        harness.disturbance = (
            after: 3,
            {
                try server.deliver(other, to: "plain-delete")
                try server.doveadm("flags", "add", "-u", "plain-delete", "\\Deleted", "mailbox", "INBOX", "uid", "41")
            }
        )
        let first = try await harness.poll()
        #expect(first.error == nil && harness.ledger.messages == Set(mail))
        #expect(first.notices.contains(.leftMarkedDeleted(count: 40)))
        let left = try server.mail(of: "plain-delete")
        #expect(left.map(\.bytes) == mail + [other] && left.allSatisfy { $0.flags.contains("T") })

        harness = try MailboxHarness(.imaps, on: server, user: "plain-delete-alone")
        #expect(try await harness.poll().error == nil)
        #expect(try server.mail(of: "plain-delete-alone").isEmpty)

        harness = try MailboxHarness(.imaps, on: server, user: "plain-move", after: .move(folder: "Done"))
        #expect(try await harness.poll().error == nil)
        #expect(try server.mail(of: "plain-move").isEmpty)
        #expect(try Set(server.mail(of: "plain-move", folder: "Done").map(\.bytes)) == Set(mail))
    }

    @Test func readOnlyMailboxIsReadOnce() async throws {
        var options = DovecotServer.Options()
        options.configuration = """
            protocol imap {
              mail_plugins = acl
            }
            plugin {
              acl = vfile
            }
            """
        let server = try DovecotServer(options)
        defer { server.stop() }
        try deliver(to: "reader", on: server)
        try TestFile.write("owner lr\n", to: "\(server.maildir("reader"))/dovecot-acl")
        for after in [MailboxAccess.After.delete, .move(folder: "Done"), .flag("\\Flagged")] {
            let harness = try MailboxHarness(.imaps, on: server, user: "reader", after: after)
            let poll = try await harness.poll()
            #expect(poll.error == nil && poll.count == 40 && poll.notices.contains(.readOnly), "\(after): \(poll)")
            #expect(try await harness.poll().count == 0, "\(after)")
        }
        let left = try server.mail(of: "reader")
        #expect(left.count == 40 && left.allSatisfy { $0.flags.isEmpty })
    }

    @Test func mailboxThatDoesNotExist() async throws {
        let server = try DovecotServer.shared.get()
        var harness = try MailboxHarness(.imaps, on: server, user: "nowhere")
        harness.access.address.mailbox = "No such folder"
        #expect(try await harness.poll().code == .mailboxUnavailable)
    }

    @Test(arguments: DovecotLoginTests.schemes)
    func tooLargeIsRecordedAndStays(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "large-\(scheme.rawValue)"
        let large = TestMail.make(1, bytes: 20_000)[0]
        try server.deliver(mail[0], to: user)
        try server.deliver(large, to: user)
        try server.deliver(mail[1], to: user)
        var harness = try MailboxHarness(scheme, on: server, user: user, after: .delete)
        harness.access.maxMessageBytes = 10_000
        let poll = try await harness.poll()
        #expect(poll.error == nil && poll.count == 3)
        let refused = harness.ledger.kept.filter(\.isRefused).map(\.bytes)
        #expect(harness.ledger.messages == Set(mail[...1]) && refused.count == 1)
        #expect(refused.allSatisfy { large.starts(with: $0) && $0.suffix(4) == [13, 10, 13, 10] }, "its header")
        #expect(try server.mail(of: user).map(\.bytes) == [large])
        #expect(try await harness.poll().count == 0)
        // The limit is raised: now it is wanted.
        harness.access.maxMessageBytes = 100_000
        #expect(try await harness.poll().count == 1)
        #expect(harness.ledger.messages.contains(large))
        #expect(try server.mail(of: user).isEmpty)
    }
}
