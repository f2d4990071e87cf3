import Foundation
import Glibc
import FundCore
import TestSupport
import Testing

/// Letters that wait in a store, and the programs that send them.
@Suite(.startsPrograms) struct RelayProgramTests {
    private static func server() throws -> ScriptedServer {
        let script = [
            "S: 220 mail.example ESMTP", "ON EHLO *", "S: 250-mail.example", "S: 250 SIZE 52428800", "END",
            "ON MAIL FROM:*", "S: 250 ok", "END", "ON RCPT TO:*", "S: 250 ok", "END", "ON DATA", "S: 354 go on",
            "C: .", "S: 250 2.0.0 Ok: queued as 1", "END", "ON QUIT", "S: 221 bye", "CUT", "END", "ON *", "END",
        ]
        return try ScriptedServer(ServerScript(script.joined(separator: "\n"), including: "/"))
    }

    private static func smtp(_ port: Int) -> String {
        "smtp: {url: \"smtp://localhost:\(port)\", tls: off, from: Fundmail <funds@corp.example>}"
    }

    /// A store with a filed mail, and a letter about it that waits.
    private static func store() async throws -> ReplayStore {
        let store = try await ReplayStore()
        try store.write(Array(CrashMail.messages(1).prefix(1)))
        let done = try await store.replay()
        #expect(done.isSuccess, "\(done)")
        try StoreSnapshot.execute(
            """
            INSERT INTO outbox (kind, cause, topic, recipient, mark, state, queued_at, due_at)
            SELECT 'filed', id, '', 'ann@example.com', '0123456789abcdef0123456789abcdef', 'queued', \(Timestamp.now),
                \(Timestamp.now) FROM email
            """, in: store.store)
        return store
    }

    private static func metrics(_ running: BuiltProgram.Running) async throws -> String {
        guard let mark = running.errorsSoFar.range(of: "serving on ") else { return "" }
        var program = BuiltProgram()
        program.path = "/usr/bin/curl"
        let url = running.errorsSoFar[mark.upperBound...].prefix { $0 != ";" && !$0.isWhitespace }
        return try await program.run(["-sS", "\(url)/metrics"]).output
    }

    /// Without a server letters wait; one that comes with a new configuration gets them, after one that is not there.
    @Test func serveSends() async throws {
        let store = try await Self.store()
        defer { store.remove() }
        let server = try Self.server()
        defer { server.stop() }
        let plain = "store: ./store\npreviews: off\nserver: {listen: \"127.0.0.1:0\"}\n"
        try TestFile.write(plain, to: store.configuration)
        let running = try store.program.start(store.arguments(["serve"]))
        defer { running.kill() }
        func metricsCome(_ lines: String...) async throws -> Bool {
            try await becomesTrue {
                let metrics = try await Self.metrics(running)
                return lines.allSatisfy { metrics.contains("\n\($0)\n") }
            }
        }
        #expect(try await metricsCome("fundmail_outbox_letters{state=\"queued\"} 1"), "\(running.errorsSoFar)")
        #expect(try await !Self.metrics(running).contains("fundmail_relay_up"))
        // A server that is not there.
        let gone = try HeldPort()
        try TestFile.write(plain + Self.smtp(gone.number) + "\n", to: store.configuration)
        running.signal(SIGHUP)
        #expect(try await metricsCome("fundmail_relay_up 0"), "\(running.errorsSoFar)")
        #expect(running.errorsSoFar.contains("warning no letter goes out: localhost:"), "\(running.errorsSoFar)")
        try TestFile.write(plain + Self.smtp(server.port) + "\n", to: store.configuration)
        running.signal(SIGHUP)
        #expect(
            try await metricsCome(
                "fundmail_outbox_letters{state=\"sent\"} 1", "fundmail_outbox_results_total{result=\"sent\"} 1",
                "fundmail_relay_up 1"), "\(running.errorsSoFar)")
        #expect(server.lines.contains("Message-ID: <0123456789abcdef0123456789abcdef@corp.example>"))
        try TestFile.write(plain, to: store.configuration)
        running.signal(SIGHUP)
        #expect(try await becomesTrue { try await !Self.metrics(running).contains("fundmail_relay_up") })
        running.signal(SIGTERM)
        let done = try await running.wait()
        #expect(done.isSuccess && server.lines.count { $0 == "." } == 1, "\(done)")
    }

    /// A poll queues the digests that are due, and sends them; a link in them ends them.
    @Test func pollTellsNews() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let server = try Self.server()
        defer { server.stop() }
        let gone = try HeldPort()
        var mailbox = try MailboxSettings("funds", url: "imap://u@localhost:\(gone.number)")
        mailbox.caFile = nil
        mailbox.lines.append("tls: off")
        let pages = "server: {public_url: \"https://funds.corp.example\"}"
        try store.configure(mailbox, others: Self.smtp(server.port) + "\n" + pages)
        #expect(try await store.run("user", "change", "ann@example.com", "--news", "daily").isSuccess)
        _ = try await store.run("poll")
        try store.write(Array(CrashMail.messages(1).prefix(1)))
        #expect(try await store.replay().isSuccess)
        _ = try await store.run("poll")
        #expect(server.lines.isEmpty)
        // Another day.
        try StoreSnapshot.execute("UPDATE digest_progress SET period = period - 1", in: store.store)
        for _ in 0..<2 { _ = try await store.run("poll") }
        #expect(server.lines.count { $0 == "." } == 1)
        #expect(server.lines.contains("RCPT TO:<ann@example.com>"))
        #expect(server.lines.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "\(server.lines)")
        #expect(server.lines.contains { $0.contains("https://funds.corp.example/unsubscribe/") })
    }

    /// A poll sends what is due at its end, also where a mailbox fails, and says where it cannot.
    @Test func pollSends() async throws {
        let store = try await Self.store()
        defer { store.remove() }
        let server = try Self.server()
        defer { server.stop() }
        let gone = try HeldPort()
        var mailbox = try MailboxSettings("funds", url: "imap://u@localhost:\(gone.number)")
        mailbox.caFile = nil
        mailbox.lines.append("tls: off")
        try store.configure(mailbox, others: Self.smtp(gone.number))
        let failed = try await store.run("poll")
        #expect(failed.status == 69 && failed.errors.contains("no letter goes out: localhost:"), "\(failed)")
        try store.configure(mailbox, others: Self.smtp(server.port))
        let sent = try await store.run("poll")
        #expect(sent.status == 69 && !sent.errors.contains("letter"), "\(sent)")
        #expect(server.lines.contains("RCPT TO:<ann@example.com>") && server.lines.last == "QUIT")
        let again = try await store.run("poll")
        #expect(again.status == 69 && server.connections == 1)
    }
}
