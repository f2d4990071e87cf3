import Foundation
import TestSupport
import Testing

/// Commands at servers that refuse, lack something or do not give what they announce.
@Suite(.startsPrograms) struct ServerRefusalTests {
    static let transcripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../MailFetchTests/Transcripts").standardized.path

    private static func server(_ rules: String, _ scheme: String = "imap") throws -> ScriptedServer {
        let text = "\(rules)\nINCLUDE \(scheme)-login.txt\nINCLUDE \(scheme)-mailbox.txt\n"
        return try ScriptedServer(ServerScript(text, including: transcripts))
    }

    private func settings(_ server: ScriptedServer, _ scheme: String = "imap", after: String) throws -> MailboxSettings
    {
        var settings = try MailboxSettings("funds", url: "\(scheme)://ann@127.0.0.1:\(server.port)", after: after)
        settings.caFile = nil
        settings.lines.append("tls: off")
        return settings
    }

    private static func capabilities(_ names: String) -> String {
        "ON * CAPABILITY\nS: * CAPABILITY IMAP4rev1 \(names)\nS: $tag OK done\nEND\n"
    }

    /// Nothing is gained by trying again later, so it is no status of a service that tries again: 69, and what to do.
    @Test(arguments: [
        (
            "[OVERQUOTA] Quota exceeded",
            "has no room to move what was filed to Processed ([OVERQUOTA] Quota exceeded); make room"
        ),
        ("[LIMIT] Too many", "have its administrator raise it"), ("[NOPERM] no", "check the rights of ann there"),
        ("[CANNOT] no", "choose another name"), ("[SERVERBUG] no", "ask the administrator"),
    ])
    func aRefusedMoveIsToldAndNotFetchedAgain(_ said: String, _ told: String) async throws {
        let server = try Self.server(Self.capabilities("MOVE") + "ON * UID MOVE *\nS: $tag NO \(said)\nEND")
        defer { server.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(settings(server, after: "{move: Processed}"))
        for run in 1...2 {
            let done = try await store.run("poll", "--json")
            #expect(done.status == 69 && done.errors.contains(told), "\(done)")
            #expect(try MessageLine.read(done.output).summary.seen == (run == 1 ? 3 : 0), "\(done)")
        }
    }

    @Test func anAccountTooFullToBeOpenedIsNamed() async throws {
        let server = try Self.server("ON * SELECT *\nS: $tag NO [OVERQUOTA] full\nEND")
        defer { server.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(settings(server, after: "delete"))
        let done = try await store.run("poll")
        #expect(done.status == 69, "\(done)")
        #expect(done.errors.contains("has no room for SELECT \"INBOX\" ([OVERQUOTA] full)"), "\(done)")
    }

    /// The connection is in order, and new mail comes by it.
    @Test func watchGoesOnWithIdleAfterARefusedMove() async throws {
        let server = try Self.server(
            Self.capabilities("MOVE IDLE")
                + "ON * UID MOVE *\nS: $tag NO [OVERQUOTA] full\nEND\n"
                + "ON * IDLE\nS: + idling\nC: *DONE*\nS: $tag OK done\nEND")
        defer { server.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(settings(server, after: "{move: Processed}"))
        let running = try store.program.start(store.arguments(["watch"]))
        defer { running.kill() }
        let isIdle = try await becomesTrue { server.lines.contains { $0.hasSuffix(" IDLE") } || !running.isRunning }
        #expect(isIdle && running.isRunning && server.connections == 1, "\(running.errorsSoFar)")
        #expect(
            running.errorsSoFar.contains("has no room to move what was filed to Processed"), "\(running.errorsSoFar)")
        running.signal(SIGTERM)
        _ = try await running.wait()
    }

    @Test func whatIsNotAsAnnouncedBearsADefect() async throws {
        let server = try ScriptedServer(ServerScript(file: "\(Self.transcripts)/imap-size-lies.txt"))
        defer { server.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(settings(server, after: "delete"))
        let first = try await store.run("poll", "--json")
        let run = try MessageLine.read(first.output)
        #expect(first.isSuccess && run.lines.count == 3, "\(first)")
        #expect(run.lines.allSatisfy { $0.line.defects == ["size_mismatch"] }, "\(first.output)")
        #expect(first.errors.contains("3 messages have another size than the server announces"), "\(first.errors)")
        let second = try await store.run("poll", "--json")
        #expect(
            try second.isSuccess && second.errors.isEmpty && MessageLine.read(second.output).summary.seen == 0,
            "\(second)")
        #expect(!server.lines.contains { $0.contains("STORE") || $0.contains("EXPUNGE") })
    }

    // MARK: doctor

    private func doctor(_ rules: String, _ scheme: String = "imap", after: String) async throws -> String {
        let all =
            rules
            + "\nON * FETCH 3 *\nS: * 3 FETCH (BODY[HEADER.FIELDS (AUTHENTICATION-RESULTS)] {2}\nS| \\r\\n\n"
            + "S: )\nS: $tag OK\nEND\n"
            + "ON STAT\nS: +OK 3 300\nEND\nON TOP *\nS: +OK\nS| a: b\\r\\n.\\r\\n\nEND"
        let server = try Self.server(all, scheme)
        defer { server.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(settings(server, scheme, after: after))
        let done = try await store.run("doctor")
        #expect(done.isSuccess, "\(done) \(server.record.problems)")
        return done.output
    }

    private static let namespace = "ON * NAMESPACE\nS: * NAMESPACE ((\"INBOX.\" \".\")) NIL NIL\nS: $tag OK\nEND\n"

    private static func rights(_ folder: String, _ rights: String) -> String {
        "ON * MYRIGHTS \"\(folder)\"\nS: * MYRIGHTS \(folder) \(rights)\nS: $tag OK\nEND\n"
    }

    /// Problems that a run would meet in the folder to which it moves mail.
    @Test(arguments: [
        (false, "lrswipkxtecdan", "lr", "INBOX.Processed does not exist yet; the first message makes it"),
        (false, "lrswitecd", "lr", "INBOX.Processed does not exist, and ann may not make it; make it there"),
        (true, "lrswite", "lrs", "ann may not bring messages into INBOX.Processed"),
        (
            true, "lrswitd", "lrsi",
            "ann lacks the right e to INBOX (it has lrswitd): what was filed is marked deleted there"
        ),
        (true, "lrs", "lrsi", "ann lacks the rights t, e to INBOX"),
    ])
    func doctorLooksAtTheFolderToMoveTo(_ exists: Bool, _ source: String, _ target: String, _ words: String)
        async throws
    {
        let rules =
            Self.capabilities("ACL RIGHTS=kxten NAMESPACE MOVE UIDPLUS IDLE") + Self.namespace
            + Self.rights("INBOX", source)
            + Self.rights("INBOX.Processed", target)
            + "ON * STATUS \"INBOX.Processed\" *\nS: $tag \(exists ? "OK" : "NO") status\nEND\n"
        let output = try await doctor(rules, after: "{move: Processed}")
        #expect(output.contains(words), "\(output)")
    }

    @Test(arguments: [(512, true), (511, false)])
    func doctorSeesAFullAccount(_ used: Int, _ isFull: Bool) async throws {
        let rules =
            Self.capabilities("QUOTA UIDPLUS IDLE")
            + "ON * GETQUOTAROOT *\nS: * QUOTAROOT INBOX \"\"\nS: * QUOTA \"\" (STORAGE \(used) 512)\nS: $tag OK\nEND\n"
        let output = try await doctor(rules, after: "keep")
        #expect(output.contains("the account is full (512 of 512 KiB)") == isFull, "\(output)")
    }

    /// A server without CAPA, such as popa3d, may know UIDL: it is asked.
    @Test(arguments: [("ON CAPA\nS: -ERR unknown\nEND", false), ("ON UIDL\nS: -ERR unknown\nEND", true)])
    func doctorAsksForUIDL(_ rules: String, _ isWarned: Bool) async throws {
        let output = try await doctor(rules, "pop3", after: "keep")
        #expect(output.contains("it offers no UIDL") == isWarned, "\(output)")
    }
}
