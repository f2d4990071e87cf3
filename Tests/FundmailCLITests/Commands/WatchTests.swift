import Foundation
import TestSupport
import Testing

/// `fundmail watch` against a real server, as systemd runs it.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct WatchTests {
    /// Runs `body` beside a watch that is connected to all mailboxes; then ends it, which must succeed.
    private func watching(
        _ settings: MailboxSettings..., words: [String] = [], environment: [String: String] = [:],
        prefix: [String] = [],
        connected: Int? = nil, _ body: (ReplayStore, BuiltProgram.Running) async throws -> Void
    ) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(settings)
        let program = store.with(environment, prefix: prefix).program
        let running = try program.start(store.arguments(["watch"] + words))
        defer { running.kill() }
        let expected = connected ?? settings.count
        let isConnected = try await becomesTrue {
            running.errorsSoFar.components(separatedBy: "connected to").count - 1 >= expected || !running.isRunning
        }
        #expect(isConnected && running.isRunning, "\(running.errorsSoFar)")
        try await body(store, running)
        running.signal(SIGTERM)
        let done = try await running.wait()
        #expect(done.isSuccess && done.errors.contains("ended by signal 15"), "\(done)")
        #expect(!done.errors.contains(DovecotServer.password))
        #expect(TestFile.names(in: "\(store.store)/tmp").isEmpty, "nothing is left half done")
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    private func expectEmails(_ count: Int, in store: ReplayStore, _ running: BuiltProgram.Running) async throws {
        let came = try await becomesTrue { try StoreSnapshot.rowCount(of: "email", in: store.store) >= count }
        #expect(came, "\(count): \(running.errorsSoFar)")
    }

    private static let mail = CrashMail.messages(16).filter { $0.outcome == "filed" }

    @Test(arguments: ["delete", "keep"])
    func filesWhatArrivesDuringIdle(_ after: String) async throws {
        let server = try DovecotServer.shared.get()
        let user = "watch-idle-\(after)"
        var settings = try MailboxSettings("funds", at: server, user: user, after: after)
        settings.lines.append("interval: 1h")
        try await watching(settings) { store, running in
            for (number, message) in Self.mail.prefix(3).enumerated() {
                try server.deliver(message.wireBytes, to: user)
                try await expectEmails(number + 1, in: store, running)
            }
            try server.deliver(CrashMail.messages(6)[5].wireBytes, to: user)
            #expect(try await becomesTrue { running.errorsSoFar.contains("warning kept, not filed: funds/") })
            #expect(!running.errorsSoFar.contains("without a tag"), "no subjects in the log")
            #expect(try await becomesTrue { try server.mail(of: user).isEmpty == (after == "delete") })
        }
    }

    @Test(arguments: [MailboxSettings.Scheme.pop3s, .imap])
    func looksAtEachInterval(_ scheme: MailboxSettings.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "watch-\(scheme.rawValue)"
        var settings = try MailboxSettings("funds", scheme, at: server, user: user)
        settings.lines += ["interval: 1s"] + (scheme == .imap ? ["idle: false"] : [])
        try await watching(settings) { store, running in
            for (number, message) in Self.mail.prefix(2).enumerated() {
                try server.deliver(message.wireBytes, to: user)
                try await expectEmails(number + 1, in: store, running)
            }
        }
    }

    @Test func connectsAgainAfterTheServerRestarts() async throws {
        let server = try DovecotServer()
        defer { server.stop() }
        var settings = try MailboxSettings("funds", at: server)
        settings.lines.append("interval: 1h")
        try await watching(settings) { store, running in
            try server.goDown()
            #expect(try await becomesTrue { running.errorsSoFar.contains("cannot be reached") })
            try server.deliver(Self.mail[0].wireBytes, to: "funds")
            let again = try server.comeBack()
            defer { again.stop() }
            try await expectEmails(1, in: store, running)
            // It waits with IDLE again.
            try server.deliver(Self.mail[1].wireBytes, to: "funds")
            try await expectEmails(2, in: store, running)
        }
    }

    @Test func failingMailboxesHoldUpNobody() async throws {
        let server = try DovecotServer.shared.get()
        let silent = try LoopbackServer { _, socket in while !LoopbackSocket.receive(socket).isEmpty {} }
        defer { silent.stop() }
        var refused = try MailboxSettings("refused", at: server)
        refused.login = "password: not-the-password"
        let hanging = try MailboxSettings("hanging", url: "imaps://u@localhost:\(silent.port)")
        let good = try MailboxSettings("good", at: server, user: "watch-beside")
        try await watching(hanging, refused, good, connected: 1) { store, running in
            try server.deliver(Self.mail[0].wireBytes, to: "watch-beside")
            try await expectEmails(1, in: store, running)
            #expect(try await becomesTrue { running.errorsSoFar.contains("error Mailbox refused: ") })
            #expect(running.errorsSoFar.contains("check the user") && !running.errorsSoFar.contains("not-the-password"))
        }
    }

    /// People and funds that are added, and mail that is assigned, while it runs.
    @Test func administrationWorksBesideIt() async throws {
        let server = try DovecotServer.shared.get()
        let user = "watch-admin"
        try await watching(MailboxSettings("funds", at: server, user: user)) { store, running in
            let text = "From: new@example.com\r\nSubject: [Later] x\r\n\r\nHello.\r\n"
            try server.deliver(Array(text.utf8), to: user)
            #expect(try await becomesTrue { running.errorsSoFar.contains("unknown_sender") })
            for words in [["user", "add", "new@example.com"], ["fund", "add", "Later", "--owner", "new@example.com"]] {
                let done = try await store.program.run(store.arguments(words))
                #expect(done.isSuccess, "\(words): \(done)")
            }
            try server.deliver(Array((text + "Again.\r\n").utf8), to: user)
            try await expectEmails(1, in: store, running)
            let retried = try await store.run("misrouted", "retry")
            #expect(retried.isSuccess, "\(retried)")
            try await expectEmails(2, in: store, running)
        }
    }

    /// SIGHUP: mailboxes come and go without a restart, and a configuration that cannot be used changes nothing.
    @Test func readsItsConfigurationAgain() async throws {
        let server = try DovecotServer.shared.get()
        var settings = try ["first", "second"].map { try MailboxSettings($0, at: server, user: "reload-\($0)") }
        for index in settings.indices { settings[index].lines.append("interval: 1h") }
        try await watching(settings[0]) { store, running in
            func reload(_ words: String...) async throws {
                running.signal(SIGHUP)
                for text in words {
                    #expect(
                        try await becomesTrue { running.errorsSoFar.contains(text) }, "\(text): \(running.errorsSoFar)")
                }
            }
            try store.configure(settings, others: "limits: {depth: 20}")
            try await reload("the configuration was read again: mailbox second added, limits")
            try server.deliver(Self.mail[0].wireBytes, to: "reload-second")
            try await expectEmails(1, in: store, running)
            try TestFile.write("nonsense: [", to: store.configuration)
            try await reload("the new configuration is not used, all stays as it was")
            try store.configure([settings[1]], others: "limits: {depth: 20}")
            try await reload("the configuration was read again: mailbox first removed")
            try server.deliver(Self.mail[1].wireBytes, to: "reload-first")
            try server.deliver(Self.mail[2].wireBytes, to: "reload-second")
            try await expectEmails(2, in: store, running)
            #expect(try server.mail(of: "reload-first").count == 1)
        }
    }

    @Test func holdsItsMailboxes() async throws {
        let server = try DovecotServer.shared.get()
        try await watching(MailboxSettings("funds", at: server, user: "watch-lock")) { store, _ in
            let second = try await store.run("poll")
            #expect(second.status == 75 && second.errors.contains("`fundmail watch`"), "\(second)")
        }
    }

    /// A full disk is waited for, and said.
    @Test func goesOnWhenThereIsSpaceAgain() async throws {
        let server = try DovecotServer.shared.get()
        let user = "watch-full"
        var settings = try MailboxSettings("funds", at: server, user: user)
        settings.lines.append("interval: 1h")
        try await watching(settings, prefix: ["prlimit", "--fsize=1500000:unlimited"]) { store, running in
            let large = CrashMail.messages(1, fileBytes: 3_000_000)[0]
            try server.deliver(large.wireBytes, to: user)
            #expect(try await becomesTrue { running.errorsSoFar.contains("No space is left") })
            #expect(running.errorsSoFar.contains("error") && running.errorsSoFar.contains("Trying again in"))
            #expect(try server.mail(of: user).count == 1)
            // Mail that cannot be kept takes no space while it waits.
            #expect(try await becomesTrue { TestFile.names(in: "\(store.store)/tmp").isEmpty })
            try ToolRun.output(["prlimit", "--pid", "\(running.identifier)", "--fsize=unlimited"])
            try await expectEmails(1, in: store, running)
            #expect(try await becomesTrue { try server.mail(of: user).isEmpty })
        }
    }

    /// READY=1 when it runs, WATCHDOG=1 while it lives, STOPPING=1 when it ends (sd_notify(3)).
    @Test func tellsSystemd() async throws {
        let server = try DovecotServer.shared.get()
        let listener = try NoticeSocket()
        let environment = ["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "200000"]
        let settings = try MailboxSettings("funds", at: server, user: "watch-systemd")
        try await watching(settings, environment: environment) { _, _ in
            let isAlive = try await becomesTrue { listener.received.count(where: { $0 == "WATCHDOG=1" }) > 2 }
            #expect(isAlive)
            #expect(listener.received.first == "READY=1")
        }
        #expect(listener.received.contains("STOPPING=1"))
    }
}
