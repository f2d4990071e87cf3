import Foundation
import TestSupport
import Testing

/// `fundmail poll` against a real server, as a person runs it.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct PollTests {
    private func withStore(_ body: (ReplayStore, DovecotServer) async throws -> Void) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try await body(store, try DovecotServer.shared.get())
    }

    @Test(arguments: MailboxSettings.Scheme.allCases)
    func filesMailAndLetsGoOfIt(_ scheme: MailboxSettings.Scheme) async throws {
        try await withStore { store, server in
            let user = "poll-\(scheme.rawValue)"
            try store.configure(MailboxSettings("funds", scheme, at: server, user: user))
            let mail = CrashMail.messages(20)
            for message in mail { try server.deliver(message.wireBytes, to: user) }
            let first = try await store.run("poll", "--json")
            #expect(first.isSuccess, "\(first)")
            let run = try MessageLine.read(first.output)
            #expect(run.lines.map(\.line.outcome).sorted() == mail.map(\.outcome).sorted())
            #expect(run.lines.allSatisfy { $0.line.source.hasPrefix("funds/") })
            #expect(run.summary.seen == mail.count && run.summary.failed == 0)
            #expect(try server.mail(of: user).isEmpty)
            let second = try await store.run("poll")
            #expect(second.isSuccess && second.output.contains("funds          0"), "\(second)")
            let verified = try await store.run("verify")
            #expect(verified.isSuccess, "\(verified)")
        }
    }

    @Test func tableHasALineForEachMailbox() async throws {
        try await withStore { store, server in
            let mail = CrashMail.messages(16)
            for message in mail { try server.deliver(message.wireBytes, to: "poll-table") }
            try store.configure(
                MailboxSettings("busy", at: server, user: "poll-table"),
                MailboxSettings("idle-one", .pop3s, at: server, user: "poll-table-2"))
            let done = try await store.run("poll")
            #expect(done.isSuccess && done.errors.isEmpty, "\(done)")
            let rows = done.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            let titles = [
                "MAILBOX", "NEW", "FILED", "MISROUTED", "REJECTED", "DUPLICATE", "FAILED", "BYTES", "SECONDS",
            ]
            #expect(rows[0] == titles)
            let counts = ["filed", "misrouted", "rejected", "duplicate"].map { outcome in
                "\(mail.count { $0.outcome == outcome })"
            }
            for name in ["busy", "all"] {
                let row = try #require(rows.first { $0[0] == name }, "\(done.output)")
                #expect(Array(row[1...6]) == ["\(mail.count)"] + counts + ["0"])
            }
            #expect(rows.first { $0[0] == "idle-one" }.map { Array($0[1...6]) } == Array(repeating: "0", count: 6))
            #expect(done.output.contains("fundmail report misrouted"))
            // Only one of them, and of one there is no sum.
            let one = try await store.run("poll", "--mailbox", "idle-one")
            #expect(one.isSuccess && !one.output.contains("busy") && !one.output.contains("\nall "), "\(one)")
        }
    }

    /// More than are polled at the same time.
    @Test func manyMailboxes() async throws {
        try await withStore { store, server in
            let names = (1...20).map { "poll-many-\($0)" }
            let mail = CrashMail.messages(24).filter { $0.outcome != "duplicate" }
            for (name, message) in zip(names, mail) { try server.deliver(message.wireBytes, to: name) }
            try store.configure(names.map { try MailboxSettings($0, at: server) })
            let done = try await store.run("poll", "--json")
            #expect(done.isSuccess, "\(done)")
            let run = try MessageLine.read(done.output)
            let sources = Set(run.lines.compactMap { $0.line.source.split(separator: "/").first.map(String.init) })
            #expect(sources == Set(names) && run.summary.seen == names.count)
        }
    }

    /// The server's copies after a poll.
    @Test(arguments: [
        ("delete", inbox: 0, flags: "", "Done", 0), ("{move: Done}", inbox: 0, flags: "", "Done", 6),
        ("flag", inbox: 6, flags: "F", "Done", 0), ("keep", inbox: 6, flags: "", "Done", 0),
    ])
    func after(_ after: String, inbox: Int, flags: String, _ folder: String, _ moved: Int) async throws {
        try await withStore { store, server in
            let user = "poll-after-\(after.filter(\.isLetter))"
            for message in CrashMail.messages(5) { try server.deliver(message.wireBytes, to: user) }
            try store.configure(MailboxSettings("funds", at: server, user: user, after: after))
            let first = try await store.run("poll", "--json")
            #expect(first.isSuccess, "\(first)")
            let left = try server.mail(of: user)
            #expect(left.count == inbox && left.allSatisfy { $0.flags == Set(flags) }, "\(left)")
            #expect(try server.mail(of: user, folder: folder).count == moved)
            let second = try await store.run("poll", "--json")
            #expect(try MessageLine.read(second.output).summary.seen == 0, "what stays is not fetched again: \(second)")
        }
    }

    @Test func whatIsNotFiledMayGoAnotherWay() async throws {
        try await withStore { store, server in
            let mail = CrashMail.messages(8).filter { $0.outcome != "duplicate" }
            for message in mail { try server.deliver(message.wireBytes, to: "poll-misrouted") }
            var settings = try MailboxSettings("funds", at: server, user: "poll-misrouted")
            settings.lines.append("after_misrouted: {move: Kept}")
            try store.configure(settings)
            let done = try await store.run("poll")
            #expect(done.isSuccess, "\(done)")
            #expect(try server.mail(of: "poll-misrouted").isEmpty)
            let kept = try server.mail(of: "poll-misrouted", folder: "Kept").map(\.bytes)
            #expect(
                kept.sorted(by: { $0.lexicographicallyPrecedes($1) })
                    == mail.filter { $0.outcome != "filed" }.map(\.wireBytes).sorted {
                        $0.lexicographicallyPrecedes($1)
                    })
        }
    }

    /// Each place that a secret may come from, and none of them shows.
    @Test(arguments: ["password_file", "password_env", "token_command", "token_file", "token_env"])
    func secretsComeFrom(_ key: String) async throws {
        try await withStore { store, server in
            let user = "poll-\(key)"
            let isToken = key.hasPrefix("token")
            let secret = isToken ? BearerToken.make(user: user) : DovecotServer.password
            try TestFile.write("\(secret)\n", to: "\(store.folder)/secret")
            let value = key.hasSuffix("_file") ? "secret" : key.hasSuffix("_env") ? "FUNDMAIL_SECRET" : "cat secret"
            for (number, scheme) in MailboxSettings.Scheme.allCases.enumerated() {
                try server.deliver(CrashMail.messages(1)[0].wireBytes, to: user)
                var settings = try MailboxSettings("funds", scheme, at: server, user: user)
                settings.login = isToken ? "oauth2: {\(key): \(value)}" : "\(key): \(value)"
                try store.configure(settings)
                let store = store.with(["FUNDMAIL_SECRET": secret])
                let done = try await store.run("poll", "--json", "--log-level", "trace", "--trace", "trace")
                #expect(done.isSuccess, "\(scheme): \(done)")
                #expect(try MessageLine.read(done.output).summary.seen == 1, "\(scheme) \(number)")
                let trace = try String(decoding: TestFile.read("\(store.folder)/trace"), as: UTF8.self)
                #expect(!(done.output + done.errors + trace).contains(secret))
            }
        }
    }

    /// A token that the server no longer takes is fetched again, once.
    @Test func expiredTokenIsFetchedAgain() async throws {
        try await withStore { store, server in
            let user = "poll-expired"
            try server.deliver(CrashMail.messages(1)[0].wireBytes, to: user)
            try TestFile.write(BearerToken.make(user: user, expires: 1_700_000_000), to: "\(store.folder)/token-1")
            try TestFile.write(BearerToken.make(user: user), to: "\(store.folder)/token-2")
            var settings = try MailboxSettings("funds", at: server, user: user)
            settings.login = "oauth2: {token_command: 'echo x >> asked; cat token-$(wc -l < asked)'}"
            try store.configure(settings)
            let done = try await store.run("poll", "--json")
            #expect(done.isSuccess, "\(done)")
            #expect(try TestFile.read("\(store.folder)/asked").count == 4, "asked twice")
        }
    }
}
