import TestSupport
import Testing

/// `fundmail doctor` and the server for letters: what it finds, and what it sends.
@Suite(.startsPrograms) struct DoctorSMTPTests {
    /// A server that takes letters but for `rules`, which stand first.
    private static func server(_ rules: [String] = [], greeting: String = "220 mail.example ESMTP") throws
        -> ScriptedServer
    {
        let script =
            rules + [
                "S: \(greeting)", "ON EHLO *", "S: 250-mail.example", "S: 250-AUTH PLAIN", "S: 250 SIZE 52428800",
                "END",
                "ON AUTH PLAIN", "S| 334 \\r\\n", "C: *", "S: 235 2.7.0 ok", "END", "ON MAIL FROM:*", "S: 250 2.1.0 ok",
                "END", "ON RCPT TO:*", "S: 250 2.1.5 ok", "END", "ON DATA", "S: 354 go on", "C: .",
                "S: 250 2.0.0 Ok: queued as 1", "END", "ON RSET", "S: 250 2.0.0 ok", "END", "ON QUIT",
                "S: 221 2.0.0 bye",
                "CUT", "END", "ON *", "END",
            ]
        return try ScriptedServer(ServerScript(script.joined(separator: "\n"), including: "/"))
    }

    private static func withStore(
        port: Int, _ lines: String = "  tls: off\n  user: ann\n  password: sesame\n",
        _ body: (ReplayStore) async throws -> Void
    ) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let smtp = "smtp:\n  url: smtp://localhost:\(port)\n  from: 基金 <funds@corp.example>\n"
        try TestFile.write("store: ./store\npreviews: off\n\(smtp)\(lines)", to: store.configuration)
        try await body(store)
    }

    private static func lines(_ done: BuiltProgram.Finished, _ level: String) -> [String] {
        done.output.split(separator: "\n").map(String.init).filter { $0.hasPrefix(level) && $0.contains(" smtp ") }
    }

    @Test func aServerThatIsWell() async throws {
        let server = try Self.server()
        defer { server.stop() }
        try await Self.withStore(port: server.port) { store in
            let done = try await store.run("doctor")
            #expect(done.isSuccess, "\(done)")
            let said = Self.lines(done, "ok").joined(separator: "\n")
            for words in [
                "localhost:\(server.port) lets ann in", "letters of up to 52 MB",
                "takes letters from funds@corp.example",
            ] {
                #expect(said.contains(words), "\(words): \(done.output)")
            }
            #expect(!server.lines.contains { $0.hasPrefix("RCPT") || $0 == "DATA" })
            let offline = try await store.run("doctor", "--offline")
            #expect(offline.isSuccess && server.connections == 1)
        }
    }

    @Test func aLetterIsSent() async throws {
        let server = try Self.server()
        defer { server.stop() }
        try await Self.withStore(port: server.port) { store in
            let done = try await store.run("doctor", "--send", "Ann.Archer@example.com")
            #expect(done.isSuccess, "\(done)")
            let said = Self.lines(done, "ok").joined(separator: "\n")
            #expect(said.contains("a letter to Ann.Archer@example.com is on its way (250 2.0.0 Ok: queued as 1)"))
            let lines = server.lines
            for line in [
                "RCPT TO:<Ann.Archer@example.com>", "From: =?utf-8?B?5Z+66YeR?= <funds@corp.example>",
                "To: Ann.Archer@example.com", "Auto-Submitted: auto-generated", ".",
            ] {
                #expect(lines.contains(line), "\(line): \(lines)")
            }
        }
    }

    @Test(arguments: [
        ("MAIL FROM:*", "550 5.7.60 not yours", 69, "name as from an address that ann may send from"),
        ("MAIL FROM:*", "530 5.7.0 Authentication required", 69, "it wants a login: add user and password_file"),
        ("MAIL FROM:<>*", "550 5.7.1 no", 69, "refuses an empty return path (MAIL FROM:<>), as receipts have"),
        ("RCPT TO:*", "550 5.1.1 no such user", 69, "refuses a letter to bob@example.com (550 5.1.1 no such user)"),
        ("RCPT TO:*", "450 4.2.0 greylisted", 75, "does not take a letter to bob@example.com now"),
        ("AUTH PLAIN", "535 5.7.8 no", 69, "refuses the login of ann (535 5.7.8 no); check user and a password in"),
        ("AUTH PLAIN", "454 4.7.0 Temporary authentication failure", 75, "asks for patience"),
    ])
    func refusals(verb: String, reply: String, status: Int32, words: String) async throws {
        let server = try Self.server(["ON \(verb)", "S: \(reply)", "END"])
        defer { server.stop() }
        try await Self.withStore(port: server.port) { store in
            let done = try await store.run("doctor", "--send", "bob@example.com")
            #expect(done.status == status, "\(done)")
            #expect(Self.lines(done, "FAILED").contains { $0.contains(words) }, "\(words): \(done.output)")
            #expect(!done.output.contains("sesame") && !server.lines.contains("."))
        }
    }

    @Test func theLineBreaksAfterTheLetter() async throws {
        let server = try Self.server(["ON DATA", "S: 354 go on", "C: .", "CUT", "END"])
        defer { server.stop() }
        try await Self.withStore(port: server.port) { store in
            let done = try await store.run("doctor", "--send", "bob@example.com")
            #expect(done.isSuccess, "\(done)")
            #expect(Self.lines(done, "warning").contains { $0.contains("see whether it arrives") }, "\(done.output)")
        }
    }

    @Test func nothingTravelsWithoutTLS() async throws {
        let server = try Self.server()
        defer { server.stop() }
        try await Self.withStore(port: server.port, "  user: ann\n  password: sesame\n") { store in
            let done = try await store.run("doctor", "--send", "bob@example.com")
            #expect(done.status == 69, "\(done)")
            #expect(Self.lines(done, "FAILED").contains { $0.contains("offers no encryption, so nobody logged in") })
            #expect(!server.lines.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") })
        }
    }

    /// An address that would be a second command, one that most servers do not take, and a server that is not there.
    @Test func wrongUses() async throws {
        let server = try Self.server()
        defer { server.stop() }
        try await Self.withStore(port: server.port) { store in
            for address in ["bob@example.com\r\nRCPT TO:<eve@example.com>", "安@example.com", "bob"] {
                let done = try await store.run("doctor", "--send", address)
                #expect(done.status == 64, "\(done)")
            }
            #expect(try await store.run("doctor", "--offline", "--send", "bob@example.com").status == 64)
            #expect(server.connections == 0)
            try TestFile.write("store: ./store\npreviews: off\n", to: store.configuration)
            let done = try await store.run("doctor", "--send", "bob@example.com")
            #expect(done.status == 78 && Self.lines(done, "FAILED").contains { $0.contains("add smtp") }, "\(done)")
        }
    }
}
