import Foundation
import TestSupport
import Testing

/// Questions of administrators to a running server about its mailboxes, at a real mail server.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct SupervisionTests {
    private static let user = "root@example.com"
    private static let password = "a long enough password"

    private struct API {
        var port: Int
        var token = ""

        func ask(_ method: String, _ path: String, _ body: String = "") async throws -> [String: Any] {
            let connection = try RawHTTPConnection(port: port)
            let fields = token.isEmpty ? "Content-Type: application/json" : "Authorization: Bearer \(token)"
            await connection.send(
                "\(method) /api/v1\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "\(fields)\r\n\r\n\(body)")
            let response = await connection.response(within: .seconds(120))
            return try JSONSerialization.jsonObject(with: Data(response?.body ?? [])) as? [String: Any] ?? [:]
        }

        func poll(_ mailbox: String) async throws -> [String: Any] {
            try await ask("POST", "/admin/mailboxes/\(mailbox)/poll")
        }
    }

    /// Runs `body` beside a server that has looked at all mailboxes once; then ends it, which must succeed.
    private func serving(
        _ mailboxes: [MailboxSettings], until words: [String],
        _ body: (API, ReplayStore, BuiltProgram.Running) async throws -> Void
    ) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(mailboxes, others: "server: {listen: 127.0.0.1:0}")
        let added = try await store.run("user", "add", Self.user, "--admin")
        #expect(added.isSuccess, "\(added)")
        try await store.setPassword(Self.password, of: Self.user)
        let running = try store.program.start(store.arguments(["serve"]))
        defer { running.kill() }
        for word in words + ["serving on"] {
            #expect(try await becomesTrue { running.errorsSoFar.contains(word) }, "\(word): \(running.errorsSoFar)")
        }
        let port = running.errorsSoFar.firstMatch(of: /serving on http:\/\/127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
        var api = API(port: try #require(port))
        let login = #"{"username":"\#(Self.user)","password":"\#(Self.password)"}"#
        api.token = try #require(try await api.ask("POST", "/session", login)["token"] as? String)
        try await body(api, store, running)
        running.signal(SIGTERM)
        let ended = try await running.wait()
        #expect(ended.isSuccess && !ended.errors.contains(DovecotServer.password), "\(ended)")
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    /// Where nothing would be fetched for an hour; the watch goes on afterwards.
    @Test func pollsAtOnce() async throws {
        let server = try DovecotServer.shared.get()
        var slow = try MailboxSettings("slow", at: server, user: "now-slow")
        slow.lines += ["interval: 1h", "idle: false"]
        var idle = try MailboxSettings("idle", at: server, user: "now-idle")
        idle.lines.append("interval: 1h")
        try await serving([slow, idle], until: ["connected to imaps://now-slow@", "connected to imaps://now-idle@"]) {
            api, store, running in
            let mail = CrashMail.messages(6)
            for message in mail.prefix(6) where message.outcome != "duplicate" {
                try server.deliver(message.wireBytes, to: "now-slow")
            }
            let polled = try await api.poll("slow")
            #expect(polled["status"] as? String == "done" && polled["filed"] as? Int == 5, "\(polled)")
            #expect(polled["misrouted"] as? Int == 1 && polled["was_under_way"] as? Bool == false, "\(polled)")
            #expect(try server.mail(of: "now-slow").isEmpty)
            #expect(try await api.poll("slow")["status"] as? Int == 429)
            #expect(try await api.poll("nowhere")["status"] as? Int == 404)

            let empty = try await api.poll("idle")
            #expect(empty["status"] as? String == "done" && empty["filed"] as? Int == 0, "\(empty)")
            try server.deliver(CrashMail.messages(9)[8].wireBytes, to: "now-idle")
            let came = try await becomesTrue { try StoreSnapshot.rowCount(of: "email", in: store.store) == 6 }
            #expect(came, "\(running.errorsSoFar)")
            let audit = try await api.ask("GET", "/admin/audit?action=mailbox.poll")["entries"] as? [[String: Any]]
            #expect(audit?.compactMap { $0["subject"] as? String } == ["idle", "slow"])
        }
    }

    /// The token's end is that of the last login, for mailboxes that have one.
    @Test func saysUntilWhenATokenIsGood() async throws {
        let server = try DovecotServer.shared.get()
        let token = BearerToken.make(user: "now-token")
        var command = try MailboxSettings("command", at: server, user: "now-token")
        command.login = "oauth2: {token_command: 'echo ''{\"access_token\":\"\(token)\",\"expires_in\":3600}'''}"
        let password = try MailboxSettings("password", at: server, user: "now-token-not")
        let words = ["connected to imaps://now-token@", "connected to imaps://now-token-not@"]
        try await serving([command, password], until: words) { api, _, running in
            let list = try await api.ask("GET", "/admin/mailboxes")["mailboxes"] as? [[String: Any]] ?? []
            let seen = try #require(list.first?["token"] as? [String: Any], "\(list)")
            let times = [seen["expires_at"] as? Int ?? 0, seen["fetched_at"] as? Int ?? 0]
            #expect(times[1] > 0 && times[0] == times[1] + 3600 && seen["is_renewed"] as? Bool == true, "\(list)")
            #expect(list.last?["token"] is NSNull && !running.errorsSoFar.contains(token), "\(list)")
        }
    }

    /// A mailbox that pauses after a failure tries again at once; what the doctor finds names what to do.
    @Test func saysWhatFails() async throws {
        let server = try DovecotServer.shared.get()
        let good = try MailboxSettings("good", at: server, user: "now-good")
        var bad = try MailboxSettings("bad", at: server, user: "now-bad")
        bad.login = "password: not-this-one"
        try await serving([good, bad], until: ["connected to imaps://now-good@", "Mailbox bad: "]) { api, _, _ in
            let polled = try await api.poll("bad")
            let error = polled["error"] as? String ?? ""
            #expect(polled["status"] as? String == "failed" && error.contains("refuses the login"), "\(polled)")
            #expect(error.contains("check the user"))

            func texts(_ part: String, of answer: [String: Any]) -> String {
                let findings = (answer[part] as? [String: Any])?["findings"] as? [[String: Any]] ?? []
                return findings.map { finding in
                    ["level", "subject", "mailbox", "text"].compactMap { finding[$0] as? String }.joined(separator: " ")
                }.joined(separator: "\n")
            }
            let here = try await api.ask("GET", "/admin/doctor")
            for words in ["ok configuration", "ok store", "ok parser", "warning mailbox bad the last"] {
                #expect(texts("local", of: here).contains(words), "\(words): \(here)")
            }
            #expect(texts("servers", of: here).isEmpty && !texts("local", of: here).contains("lets now-good in"))
            let asked = texts("servers", of: try await api.ask("POST", "/admin/doctor"))
            #expect(asked.contains("ok mailbox good localhost") && asked.contains("lets now-good in"), "\(asked)")
            #expect(asked.contains("failure mailbox bad localhost") && !asked.contains("not-this-one"), "\(asked)")
            let list = try await api.ask("GET", "/admin/mailboxes")["mailboxes"] as? [[String: Any]] ?? []
            #expect(list.map { $0["condition"] as? String } == ["ok", "failing"])
            #expect(list.first?["certificate_expires_at"] is Int && list.last?["certificate_expires_at"] is NSNull)
        }
    }
}
