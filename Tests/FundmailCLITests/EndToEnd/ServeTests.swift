import Foundation
import FundCore
import TestSupport
import Testing

/// From a mail in a real mailbox to a file in a user's drive, through the installed program.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct ServeTests {
    private static let user = ReplayStore.user
    private static let password = ReplayStore.password
    private static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../FundServerTests/Mobile/client.sh").standardized.path

    /// Bytes that no line-based handling leaves alone.
    private static let file = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    private static var mail: [UInt8] {
        let content = Data(file).base64EncodedString(options: [.lineLength76Characters])
        let text = """
            From: Ann <\(user)>\r
            To: funds@example.com\r
            Subject: [Fund1] Q3 report\r
            Message-ID: <serve@example.com>\r
            MIME-Version: 1.0\r
            Content-Type: multipart/mixed; boundary=cut\r
            \r
            --cut\r
            Content-Type: text/plain; charset=utf-8\r
            \r
            The figures.\r
            --cut\r
            Content-Type: application/pdf; name="q3.pdf"\r
            Content-Disposition: attachment; filename="q3.pdf"\r
            Content-Transfer-Encoding: base64\r
            \r
            \(content)\r
            --cut--\r

            """
        return Array(text.utf8)
    }

    @Test func mailBecomesAFileInADrive() async throws {
        let server = try DovecotServer.shared.get()
        let store = try await ReplayStore()
        defer { store.remove() }
        var settings = try MailboxSettings("funds", at: server, user: "serve")
        settings.lines.append("interval: 1h")
        try store.configure(settings, others: "server: {listen: 127.0.0.1:0}")
        let running = try store.program.start(store.arguments(["serve"]))
        defer { running.kill() }
        let isReady = try await becomesTrue {
            running.errorsSoFar.contains("connected to") && running.errorsSoFar.contains("serving on")
        }
        let url = try #require(Self.url(running.errorsSoFar), "\(isReady): \(running.errorsSoFar)")

        try server.deliver(Self.mail, to: "serve")
        let came = try await becomesTrue { try StoreSnapshot.rowCount(of: "email", in: store.store) == 1 }
        #expect(came, "\(running.errorsSoFar)")

        let isCounted = try await becomesTrue {
            let metrics = try await output(of: "/usr/bin/curl", ["-sS", url + "/metrics"])
            return metrics.contains("\nfundmail_message_processing_seconds_count 1\n")
        }
        #expect(isCounted)
        try await fetchWithRclone(url, store)
        try await fetchWithClient(url, store)
        running.signal(SIGTERM)
        let done = try await running.wait()
        #expect(done.isSuccess, "\(done)")
        #expect(try server.mail(of: "serve").isEmpty)
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    /// Also where systemd waits to hear that it lives.
    @Test(arguments: ["", "4000000"])
    func endsWhenTheAddressIsTaken(_ watchdogMicroseconds: String) async throws {
        let taken = try LoopbackServer { _, _ in }
        defer { taken.stop() }
        let store = try await ReplayStore().with(["WATCHDOG_USEC": watchdogMicroseconds])
        defer { store.remove() }
        try TestFile.write(
            "store: ./store\nserver: {listen: 127.0.0.1:\(taken.port)}\n", to: store.configuration)
        let done = try await store.run("serve")
        #expect(done.status == 69 && done.errors.contains("Is another server running there?"), "\(done)")
    }

    /// All metrics of the running program, as Prometheus' own tool judges them; and what it notes when it ends.
    @Test func measuresItself() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try TestFile.write("store: ./store\nserver: {listen: 127.0.0.1:0}\n", to: store.configuration)
        let running = try store.program.start(store.arguments(["serve"]))
        defer { running.kill() }
        #expect(try await becomesTrue { running.errorsSoFar.contains("serving on") }, "\(running.errorsSoFar)")
        let url = try #require(Self.url(running.errorsSoFar))
        let metrics = try await output(of: "/usr/bin/curl", ["-sS", url + "/metrics"])
        for name in [
            "fundmail_message_processing_seconds_bucket{le=\"+Inf\"} 0", "fundmail_mailbox_run_duration_seconds_sum",
            "fundmail_barrier_duration_seconds_count", "fundmail_write_lock_wait_seconds_bucket",
        ] { #expect(metrics.contains("\n" + name), "\(name)") }
        let file = store.folder + "/metrics.txt"
        try TestFile.write(metrics, to: file)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../scripts/promtool").standardized.path
        #expect(try await output(of: "/bin/sh", ["-c", "exec \"$0\" check metrics <\"$1\"", script, file]) == "")
        running.signal(SIGTERM)
        #expect(try await running.wait().isSuccess)
        // Slots of each period, for a minute that was not over, or for two.
        let count = """
            import sqlite3, sys
            print(sqlite3.connect(sys.argv[1]).execute("SELECT count(DISTINCT width) FROM health").fetchone()[0])
            """
        let words = ["python3", "-c", count, "\(store.store)/fundmail.sqlite"]
        #expect(try await output(of: "/usr/bin/env", words) == "3\n")
    }

    /// Mail comes in from a mailbox that was not there at the start.
    @Test func readsItsConfigurationAgain() async throws {
        let server = try DovecotServer.shared.get()
        let store = try await ReplayStore()
        defer { store.remove() }
        try TestFile.write("store: ./store\nserver: {listen: 127.0.0.1:0}\n", to: store.configuration)
        let running = try store.program.start(store.arguments(["serve"]))
        defer { running.kill() }
        #expect(try await becomesTrue { running.errorsSoFar.contains("serving on") }, "\(running.errorsSoFar)")
        try server.deliver(Self.mail, to: "serve-reload")
        let settings = try MailboxSettings("funds", at: server, user: "serve-reload")
        try store.configure(settings, others: "server: {listen: 127.0.0.1:1}")
        running.signal(SIGHUP)
        let came = try await becomesTrue { try StoreSnapshot.rowCount(of: "email", in: store.store) == 1 }
        #expect(came, "\(running.errorsSoFar)")
        #expect(running.errorsSoFar.contains("server: listen: the change takes effect at the next start"))
        running.signal(SIGTERM)
        #expect(try await running.wait().isSuccess)
    }

    /// Connections made after the signal see the new certificate; one that cannot be used changes nothing.
    @Test func servesANewCertificateAfterTheSignal() async throws {
        let authority = try TestAuthority.shared.get()
        let store = try await ReplayStore()
        defer { store.remove() }
        func put(_ kind: TestAuthority.Certificate) throws {
            for (from, name) in [(authority.certificatePath(kind), "cert.pem"), (authority.keyPath(kind), "key.pem")] {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: from))
                try bytes.write(to: URL(fileURLWithPath: "\(store.folder)/\(name)"), options: .atomic)
            }
        }
        try put(.valid)
        let server = "server: {listen: 127.0.0.1:0, tls: {certificate: cert.pem, key: key.pem}}"
        try TestFile.write("store: ./store\n\(server)\n", to: store.configuration)
        let running = try store.program.start(store.arguments(["serve"]))
        defer { running.kill() }
        #expect(try await becomesTrue { running.errorsSoFar.contains("serving on") }, "\(running.errorsSoFar)")
        let url = try #require(Self.url(running.errorsSoFar)) + "/healthz"
        func isTrusted(_ anchor: String) async throws -> Bool {
            var program = BuiltProgram()
            program.path = "/usr/bin/curl"
            return try await program.run(["-sS", "--cacert", anchor, url]).output == "ok\n"
        }
        let (old, new) = (authority.caFile, authority.certificatePath(.selfSigned))
        #expect(try await isTrusted(old))
        try TestFile.write("nonsense", to: "\(store.folder)/cert.pem")
        running.signal(SIGHUP)
        #expect(try await becomesTrue { running.errorsSoFar.contains("cert.pem") }, "\(running.errorsSoFar)")
        #expect(try await isTrusted(old))
        try put(.selfSigned)
        running.signal(SIGHUP)
        #expect(try await becomesTrue { try await isTrusted(new) }, "\(running.errorsSoFar)")
        #expect(try await !isTrusted(old))
        running.signal(SIGTERM)
        #expect(try await running.wait().isSuccess)
    }

    /// Output of another program.
    private func output(of path: String, _ words: [String]) async throws -> String {
        var program = BuiltProgram()
        program.path = path
        let done = try await program.run(words)
        #expect(done.isSuccess, "\(words): \(done)")
        return done.output
    }

    private func fetchWithRclone(_ url: String, _ store: ReplayStore) async throws {
        let secret = try await output(of: "/usr/bin/rclone", ["obscure", Self.password]).filter { !$0.isNewline }
        let options = [
            "--config", "/dev/null", "--webdav-url", url + "/dav/", "--webdav-user", Self.user, "--webdav-pass", secret,
        ]
        let listing = try await output(of: "/usr/bin/rclone", options + ["lsf", "-R", "--files-only", ":webdav:"])
        #expect(listing == "Fund1/q3.pdf\n")
        let target = store.folder + "/rclone"
        _ = try await output(of: "/usr/bin/rclone", options + ["copy", ":webdav:Fund1", target])
        #expect(try Data(contentsOf: URL(fileURLWithPath: target + "/q3.pdf")) == Data(Self.file))
    }

    /// The client was written from the description of the mobile API alone.
    private func fetchWithClient(_ url: String, _ store: ReplayStore) async throws {
        let (session, target) = (store.folder + "/session", store.folder + "/client.pdf")
        func ask(_ words: String...) async throws -> [String: Any] {
            let answer = try await output(of: Self.client, [session] + words)
            return try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any] ?? [:]
        }
        func first(_ key: String, of answer: [String: Any]) -> [String: Any]? {
            (answer[key] as? [[String: Any]])?.first
        }

        _ = try await ask("login", url, Self.user, Self.password)
        let funds = try await ask("funds")["funds"] as? [[String: Any]] ?? []
        let fund = try #require(funds.first { $0["name"] as? String == "Fund1" }?["id"] as? Int)
        let email = try #require(first("emails", of: try await ask("emails", "\(fund)"))?["id"] as? Int)
        let answer = try await ask("email", "\(fund)", "\(email)")
        let attachment = try #require(
            first("attachments", of: answer["email"] as? [String: Any] ?? answer), "\(answer)")
        #expect(attachment["sha256"] as? String == ContentDigest.of(Self.file).hex)
        let id = try #require(attachment["id"] as? Int)
        _ = try await output(of: Self.client, [session, "get", "\(id)", target])
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data(Self.file))
    }

    private static func url(_ errors: String) -> String? {
        guard let mark = errors.range(of: "serving on ") else { return nil }
        return String(errors[mark.upperBound...].prefix { $0 != ";" && !$0.isWhitespace })
    }
}
