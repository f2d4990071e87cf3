import Foundation
import TestSupport
import Testing

/// `fundmail doctor` against real servers: what it finds, and that it leaves them as they were.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct DoctorTests {
    private static let transcripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../MailFetchTests/Transcripts").standardized.path

    private func withStore(_ body: (ReplayStore) async throws -> Void) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try await body(store)
    }

    private static func message(_ header: String = "") -> [UInt8] {
        Array("\(header)From: ann@example.com\r\nSubject: [Fund1] Q3\r\n\r\nHello\r\n".utf8)
    }

    @Test(arguments: MailboxSettings.Scheme.allCases)
    func healthyMailboxStaysAsItIs(_ scheme: MailboxSettings.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "doctor-\(scheme.rawValue)"
        try server.deliver(Self.message(), to: user)
        try await withStore { store in
            try store.configure(MailboxSettings("funds", scheme, at: server, user: user))
            let done = try await store.run("doctor")
            #expect(done.isSuccess && !done.output.contains("FAILED"), "\(done)")
            for words in ["lets \(user) in; 1 messages in INBOX", "certificate is good until", "days)", "require"] {
                #expect(done.output.contains(words), "\(words): \(done.output)")
            }
            #expect(done.output.contains("UIDPLUS") == scheme.rawValue.hasPrefix("imap"))
            #expect(!(done.output + done.errors).contains(DovecotServer.password))
            let mail = try server.mail(of: user)
            #expect(mail.map(\.bytes) == [Self.message()] && mail.allSatisfy { $0.flags.isEmpty })
        }
    }

    /// Every way to fail in one run: each says what to do, and none holds up another.
    @Test func eachFailureSaysWhatToDo() async throws {
        let good = try DovecotServer.shared.get()
        var options = DovecotServer.Options()
        options.certificate = .expired
        let expired = try DovecotServer(options)
        options.certificate = .otherAuthority
        let unknown = try DovecotServer(options)
        let stripped = try ScriptedServer(ServerScript(file: "\(Self.transcripts)/imap-no-starttls.txt"))
        defer {
            expired.stop()
            unknown.stop()
            stripped.stop()
        }
        var wrong = try MailboxSettings("wrong", at: good)
        wrong.login = "password: not-this-one"
        var missing = try MailboxSettings("missing", at: good)
        missing.url += "/No%20such"
        var unread = try MailboxSettings("unread", at: good)
        unread.login = "password_file: nowhere"
        var service = try MailboxSettings("service", at: good)
        service.login = "password_file: ${CREDENTIALS_DIRECTORY}/secret_funds"
        let closed = try HeldPort()
        let nobody = try MailboxSettings("nobody", url: "imaps://ann@localhost:\(closed.number)")
        let plain = try MailboxSettings("plain", url: "imap://ann@localhost:\(stripped.port)")
        let mailboxes = try [
            wrong, missing, unread, service, nobody, plain, MailboxSettings("expired", at: expired),
            MailboxSettings("unknown", .pop3, at: unknown), MailboxSettings("fine", at: good),
        ]
        try await withStore { store in
            try store.configure(mailboxes)
            let done = try await store.run("doctor")
            #expect(done.status == 69, "\(done)")
            for (name, words) in [
                ("wrong", ["refuses the login of wrong", "check the user"]),
                ("missing", ["does not open No such", "check the folder"]),
                ("unread", ["password_file", "nowhere cannot be read", "No such file"]),
                ("service", ["systemctl start fundmail-doctor"]),
                ("nobody", ["cannot be reached", "Failed to connect", "check host and port"]),
                ("plain", ["no encryption", "nobody logged in"]),
                ("expired", ["does not prove", "certificate has expired"]),
                ("unknown", ["does not prove", "issuer certificate"]),
            ] {
                let line = done.output.split(separator: "\n").first {
                    $0.contains("FAILED") && $0.contains("mailbox \(name) ")
                }
                for word in words { #expect(line?.contains(word) == true, "\(name): \(word): \(done.output)") }
            }
            #expect(done.output.contains("lets fine in"))
            #expect(!(done.output + done.errors).contains("not-this-one"))
            #expect(!stripped.lines.contains { $0.contains("LOGIN") || $0.contains("AUTH") })
            let offline = try await store.run("doctor", "--offline")
            #expect(offline.status == 78 && !offline.output.contains("lets fine in"), "\(offline)")
        }
    }

    /// A server's missing abilities matter only for what is asked of it.
    @Test func whatTheServerLacks() async throws {
        var options = DovecotServer.Options()
        options.capability = "IMAP4rev1"
        let server = try DovecotServer(options)
        defer { server.stop() }
        try await withStore { store in
            let deleting = try MailboxSettings("deleting", at: server)
            let moving = try MailboxSettings("moving", at: server, after: "{move: Filed}")
            let keeping = try MailboxSettings("keeping", at: server, after: "keep")
            try store.configure(deleting, moving, keeping)
            let done = try await store.run("doctor")
            #expect(done.isSuccess, "\(done)")
            let lines = done.output.split(separator: "\n")
            for (name, isWarned) in [("deleting", true), ("moving", true), ("keeping", false)] {
                let found = lines.contains { $0.contains("mailbox \(name) ") && $0.contains("without UIDPLUS") }
                #expect(found == isWarned, "\(name): \(done.output)")
                #expect(lines.contains { $0.contains("mailbox \(name) ") && $0.contains("without IDLE") })
            }
            #expect(lines.contains { $0.contains("Filed does not exist yet") })
        }
    }

    @Test func certificateThatEndsSoon() async throws {
        var options = DovecotServer.Options()
        options.certificate = .ending
        let server = try DovecotServer(options)
        defer { server.stop() }
        try await withStore { store in
            try store.configure(MailboxSettings("implicit", at: server), MailboxSettings("starttls", .imap, at: server))
            let done = try await store.run("doctor")
            let lines = done.output.split(separator: "\n").filter { $0.contains("have it renewed") }
            #expect(done.isSuccess && lines.count == 2 && lines.allSatisfy { $0.hasPrefix("warning") }, "\(done)")
        }
    }

    /// Until when an access token is good, also where the server refuses it.
    @Test func accessTokens() async throws {
        let server = try DovecotServer.shared.get()
        func settings(_ name: String, _ login: String) throws -> MailboxSettings {
            var settings = try MailboxSettings(name, at: server, user: "doctor-token")
            settings.login = "oauth2: {\(login)}"
            return settings
        }
        try await withStore { store in
            let good = BearerToken.make(user: "doctor-token")
            let answer = #"{"access_token":"\#(good)","expires_in":3600}"#
            for (name, text) in [
                ("good", good), ("expired", BearerToken.make(user: "doctor-token", expires: 1_700_000_000)),
                ("answer", answer), ("error", #"{"error":"invalid_grant","error_description":"Log in again"}"#),
            ] {
                try TestFile.write(text, to: "\(store.folder)/\(name)")
            }
            try store.configure(
                settings("file", "token_file: good"), settings("old", "token_file: expired"),
                settings("command", "token_command: cat answer"), settings("failing", "token_command: cat error"))
            let done = try await store.run("doctor")
            #expect(done.status == 69 && !done.output.contains(good), "\(done)")
            for (start, name, words) in [
                ("ok", "file", "its access token is good until 2096-10-0"),
                ("ok", "command", "; its token_command fetches the next one"),
                ("warning", "old", "its access token was good until 2023-11-1"),
                ("FAILED", "old", "refuses the login"),
                ("FAILED", "failing", "its token_command reports invalid_grant: Log in again"),
            ] {
                let isSaid = done.output.split(separator: "\n").contains {
                    $0.hasPrefix(start) && $0.contains("mailbox \(name) ") && $0.contains(words)
                }
                #expect(isSaid, "\(name): \(words): \(done.output)")
            }
        }
    }

    /// A folder that another user shares for reading.
    @Test(arguments: [("lr", true), ("lrwt", true), ("lrwte", false)])
    func rightsToTheFolder(rights: String, isWarned: Bool) async throws {
        var options = DovecotServer.Options()
        options.configuration = """
            mail_plugins = acl
            protocol imap {
              mail_plugins = acl imap_acl
            }
            plugin {
              acl = vfile
            }
            """
        let server = try DovecotServer(options)
        defer { server.stop() }
        try TestFile.write("owner \(rights)\n", to: "\(server.maildir("ann"))/dovecot-acl")
        try await withStore { store in
            try store.configure(
                MailboxSettings("deleting", at: server, user: "ann"),
                MailboxSettings("keeping", at: server, user: "ann", after: "keep"))
            let done = try await store.run("doctor")
            let lines = done.output.split(separator: "\n").filter { $0.contains("ann lacks the right") }
            #expect(done.isSuccess && lines.count == (isWarned ? 1 : 0), "\(done)")
        }
    }

    private static let results = "Authentication-Results: mx.example.com; dmarc=pass header.from=example.com\r\n"
    private static let postfix =
        "Received: from a by MX.example.com (Postfix) with ESMTPS id 1; Mon, 1 Jan 2026 1:0:0 +0000\r\n"

    /// The verdict that a run would give, and what would mend it.
    @Test(arguments: [
        ([results], "all of its 1 newest messages prove their sender"),
        (["", results], "1 of its 2 newest messages prove their sender; the newest other one does not: no"),
        // an id alone proves nothing
        (["Authentication-Results: mx.example.com; dmarc=pass\r\n"], "none of its 1 newest messages proves its sender"),
        (
            ["Authentication-Results:\r\n other.example;\r\n spf=pass\r\n"],
            "the newest bears those of other.example; mail like it"
        ),
        ([""], "no Authentication-Results of mx.example.com stands above"),
        // as milters leave it
        (
            [postfix + results, postfix + results],
            "own_received: 1 under trust would prove 2 of them. It passes over the Received fields of mx.example.com:"
        ),
    ])
    func trustOfTheNewestMessages(headers: [String], finding: String) async throws {
        let server = try DovecotServer.shared.get()
        let user = "trust-\(headers.joined().count)-\(headers.count)"
        for header in headers { try server.deliver(Self.message(header), to: user) }
        for scheme in [MailboxSettings.Scheme.imaps, .pop3s] {
            var settings = try MailboxSettings("funds", scheme, at: server, user: user)
            settings.lines = ["trust: {require: dmarc, authserv_id: MX.example.com}"]
            try await withStore { store in
                try store.configure(settings)
                let done = try await store.run("doctor")
                #expect(done.isSuccess && done.output.lowercased().contains(finding.lowercased()), "\(done)")
            }
        }
    }
}
