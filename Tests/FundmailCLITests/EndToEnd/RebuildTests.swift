import Foundation
import FundCore
import FundStore
import Glibc
import TestSupport
import Testing

/// A store of which the database is lost or older than the log.
@Suite(.startsPrograms, .serialized) struct RebuildTests {
    /// Tables of rows that come from mail. The snapshot leaves numbers and times out, keys differ between stores.
    private static let tables = ["message", "email", "attachment", "file", "blob", "message_blob", "misroute"]
    /// Without those in which uploads have rows.
    private static let mailTables = ["message", "email", "misroute", "attachment"]
    /// A password is in no mail.
    private static let ignored = StoreSnapshot.attempts.union([
        "message.fingerprint", "email.fingerprint", "user.password",
    ])

    private static let people = """
        email,funds,admin
        ann@example.com,Fund1;Alpha Growth,
        bob@example.com,Fund1,
        office@example.com,,yes

        """

    /// A store that tests copy: none of them fills one of its own.
    private struct Reference: Sendable {
        static let messages = 13

        let store: ReplayStore
        /// Rows of its mail alone.
        let mail: [String: [String]]
    }

    private static let empty = Task { try await ReplayStore() }

    /// Mail of every outcome, with small and large attachments, and three uploads of two contents.
    private static let filled = Task {
        let store = try await empty.value.copy()
        try store.write(CrashMail.messages(Reference.messages - 1, fileBytes: 2000) + large)
        try #require(try await store.replay().isSuccess)
        let mail = try snapshot(store)
        try await upload(["plan.xlsx", "notes.txt", "notes.txt"], to: store)
        try people.write(toFile: "\(store.folder)/people.csv", atomically: true, encoding: .utf8)
        return Reference(store: store, mail: mail)
    }

    /// A copy of it with an administrator, and with mail and an upload that came after its database was copied.
    private static let older = Task {
        let store = try await filled.value.store.copy()
        let opened = try FundStore.open(at: store.store, mode: .existing)
        try await opened.administration.addUser(
            email: "office@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        _ = try await opened.maintenance.backUp(to: "\(store.folder)/backup")
        try opened.close()
        try store.write(CrashMail.messages(24, fileBytes: 2500))
        try #require(try await store.replay().isSuccess)
        let mail = try snapshot(store)
        try await upload(["late.xlsx", "late.txt"], to: store)
        Self.loseDatabase(of: store)
        try TestFile.write(
            try TestFile.read("\(store.folder)/backup/fundmail.sqlite"), to: "\(store.store)/fundmail.sqlite")
        return Reference(store: store, mail: mail)
    }

    private static let large = CrashMail.messages(1, fileBytes: 1_100_000).map { message in
        CrashMail.Message(name: "large-\(message.name)", bytes: message.bytes, outcome: message.outcome)
    }

    private static func snapshot(_ store: ReplayStore) throws -> [String: [String]] {
        try StoreSnapshot(store: store.store, ignoring: ignored).rows.filter { tables.contains($0.key) }
    }

    private static func upload(_ names: [String], to store: ReplayStore) async throws {
        let opened = try FundStore.open(at: store.store, mode: .existing)
        let ann = try await opened.administration.user("ann@example.com").user
        let fund = try #require(try await opened.library.funds(of: ann.id).first).id
        for (number, name) in names.enumerated() {
            let bytes = Array(name.utf8) + [UInt8](repeating: 9, count: number == 0 ? 1_100_000 : 10)
            let writer = try opened.library.makeUpload(named: name, announcing: Int64(bytes.count))
            try bytes.withUnsafeBytes { try writer.append($0) }
            _ = try await opened.library.addFile(
                try writer.finish(contentType: "text/plain"),
                at: FileTarget(name, in: LibraryPlace(fund: fund), ifTaken: .number), of: ann.id)
        }
        try opened.close()
    }

    /// Table by table, so that what differs is said.
    private func expect(_ store: ReplayStore, toHave rows: [String: [String]], in tables: [String]) throws {
        let found = try Self.snapshot(store)
        for table in tables {
            let (found, wanted) = (found[table] ?? [], rows[table] ?? [])
            let difference = found.difference(from: wanted).prefix(2).map { "\($0)" }
            #expect(found == wanted, "\(table): \(difference)")
        }
    }

    private static func loseDatabase(of store: ReplayStore) {
        for suffix in ["", "-wal", "-shm"] { unlink("\(store.store)/fundmail.sqlite\(suffix)") }
    }

    private func segments(of store: ReplayStore) throws -> [String: [UInt8]] {
        try TestFile.names(in: "\(store.store)/log").reduce(into: [:]) {
            $0[$1] = try TestFile.read("\(store.store)/log/\($1)")
        }
    }

    private func rebuild(_ store: ReplayStore, _ words: [String] = []) async throws -> BuiltProgram.Finished {
        try await store.program.run(store.arguments(["rebuild", "--people", "people.csv"] + words))
    }

    private func findings(_ store: ReplayStore) async throws -> [VerifyFinding] {
        let opened = try FundStore.open(at: store.store, mode: .readOnly)
        defer { try? opened.close() }
        return try await opened.maintenance.verify().findings
    }

    private func expectSound(_ store: ReplayStore) async throws {
        let found = try await findings(store)
        #expect(found.isEmpty, "\(found)")
    }

    /// The names of what is in the fund of uploads.
    private func recovered(_ store: ReplayStore) async throws -> [String] {
        let opened = try FundStore.open(at: store.store, mode: .readOnly)
        defer { try? opened.close() }
        let office = try await opened.administration.user("office@example.com").user
        let fund = try #require(try await opened.library.funds(of: office.id).first).id
        return try await opened.library.children(of: LibraryPlace(fund: fund), of: office.id).compactMap { item in
            if case .file(let file) = item { file.name } else { nil }
        }.sorted()
    }

    /// Every command stops, says what it sees and what helps, and changes nothing.
    @Test func commandsStopBesideALogWithoutRows() async throws {
        let store = try await Self.older.value.store.copy()
        defer { store.remove() }
        let target = "\(store.folder)/backup"
        let backup = try TestFile.read("\(target)/fundmail.sqlite")
        Self.loseDatabase(of: store)
        let mailbox = """

            mailboxes:
              - name: funds
                url: imaps://funds%40corp.example@127.0.0.1:1/INBOX
                password_env: HOME
                after: keep
                trust: {require: none}

            """
        // `doctor` would start each converter to see what it can.
        let configuration = try String(contentsOfFile: store.configuration, encoding: .utf8)
            .replacing("previews: {disk: 10GB}", with: "previews: off")
        #expect(configuration.contains("previews: off"))
        try (configuration + mailbox).write(toFile: store.configuration, atomically: true, encoding: .utf8)
        let log = try segments(of: store)
        for isEmpty in [false, true] {
            if isEmpty { try TestFile.write([], to: "\(store.store)/fundmail.sqlite") }
            // An empty one is answered like none.
            let few = [["init", store.folder], ["serve"], ["verify", "--repair"]]
            let more = [
                ["replay", "mail"], ["poll"], ["watch"], ["verify"], ["backup", "--to", target], ["user", "list"],
                ["user", "add", "x@example.com"], ["report", "misrouted"], ["trash", "list"], ["doctor", "--offline"],
            ]
            for words in few + (isEmpty ? [] : more) {
                let done = try await store.program.run(words[0] == "init" ? words : store.arguments(words))
                #expect(done.status == 73, "\(words): \(done)")
                let text = done.output + done.errors
                #expect(text.contains("fundmail rebuild") && text.contains("fundmail salvage"), "\(words): \(done)")
            }
            #expect(try segments(of: store) == log)
            #expect(TestFile.names(in: "\(store.store)/lost") == [])
            #expect(try TestFile.read("\(target)/fundmail.sqlite") == backup)
        }
    }

    /// A log alone is worth something: the same rows come of it, and of uploads their files.
    @Test func makesTheRowsAnewFromTheLog() async throws {
        let reference = try await Self.filled.value
        let (store, mail) = (try reference.store.copy(), reference.mail)
        defer { store.remove() }
        let log = try segments(of: store)
        try TestFile.write([], to: "\(store.store)/fundmail.sqlite")
        for suffix in ["-wal", "-shm"] { unlink("\(store.store)/fundmail.sqlite\(suffix)") }
        let done = try await rebuild(store, ["--json"])
        try #require(done.isSuccess, "\(done)")
        let report = try #require(try jsonLines(done.output).first)
        #expect(report["uploads"] as? Int == 2 && report["uploads_owner"] as? String == "office@example.com")
        #expect(report["damages"] as? Int == 0 && report["failed"] as? Int == 0, "\(report)")
        // Nothing of the log is changed, and the old database is kept.
        let after = try segments(of: store)
        for (name, bytes) in log { #expect(after[name] == bytes, "\(name)") }
        let kept = try #require(report["kept_database"] as? String)
        #expect(try TestFile.read("\(store.store)/\(kept)") == [])
        try await expectSound(store)
        #expect(try await recovered(store) == ["notes.txt", "plan.xlsx"])
        // Mail has the very same rows.
        let opened = try FundStore.open(at: store.store, mode: .existing)
        let office = try await opened.administration.user("office@example.com").user
        let uploads = try #require(try await opened.library.funds(of: office.id).first).id
        for item in try await opened.library.children(of: LibraryPlace(fund: uploads), of: office.id) {
            try await opened.library.delete(item.itemID, of: office.id)
        }
        _ = try await opened.library.emptyTrash(of: office.id)
        try opened.close()
        try expect(store, toHave: mail, in: Self.mailTables)
        // It is a store like others.
        let again = try await store.replay()
        #expect(again.isSuccess && !again.output.contains("\"outcome\":\"filed\""), "\(again)")
        #expect(try await store.run("trash", "empty", "--all").isSuccess)
        try await expectSound(store)
        // A whole database is not thrown away by mistake.
        let refused = try await rebuild(store)
        #expect(refused.status == 65 && refused.errors.contains("--force"), "\(refused)")
        #expect(try await rebuild(store, ["--force"]).isSuccess)
        try expect(store, toHave: mail, in: Self.mailTables)
    }

    /// Killed anywhere, it is begun anew and ends the same; until then the log is as it was, and commands stop.
    @Test(
        arguments: [
            ("after_spool_write", 3, 4), ("before_commit", 2, 4), ("after_commit", 1, 4),
            // Behind the mail come the uploads.
            ("after_commit", 2, 100), ("after_old_database", 1, 100),
        ])
    func isBegunAnewAfterAKill(point: String, number: Int, batch: Int) async throws {
        let reference = try await Self.filled.value
        let (store, mail) = (try reference.store.copy(), reference.mail)
        defer { store.remove() }
        let log = try segments(of: store)
        try TestFile.write([UInt8](repeating: 1, count: 10_000), to: "\(store.store)/fundmail.sqlite")
        for suffix in ["-wal", "-shm"] { unlink("\(store.store)/fundmail.sqlite\(suffix)") }
        let died = try await rebuild(
            store.with(["FUNDMAIL_FAILPOINT": "\(point):\(number)", "FUNDMAIL_BATCH": "\(batch)"]))
        try #require(died.wasKilled, "\(died)")
        #expect(try await store.run("user", "list").status == 73)
        let done = try await rebuild(store, ["--json"])
        try #require(done.isSuccess, "\(done)")
        #expect(try jsonLines(done.output).first?["uploads"] as? Int == 2, "\(done)")
        let after = try segments(of: store)
        for (name, bytes) in log { #expect(after[name] == bytes, "\(name)") }
        #expect(TestFile.names(in: store.store).filter { $0.contains(".replaced-") }.count == 1)
        try await expectSound(store)
        try expect(store, toHave: mail, in: Self.mailTables)
    }

    /// Mail of a sender who was not believed is not believed because its database is lost.
    @Test func whatWasRefusedIsNotBelieved() async throws {
        let store = try await Self.empty.value.copy()
        defer { store.remove() }
        let mailbox = """

            mailboxes:
              - name: funds
                url: imaps://funds%40corp.example@127.0.0.1:1/INBOX
                password_env: HOME
                trust: {authserv_id: mx.corp.example, require: dmarc}

            """
        let plain = try String(contentsOfFile: store.configuration, encoding: .utf8)
        try (plain + mailbox).write(toFile: store.configuration, atomically: true, encoding: .utf8)
        try store.write(CrashMail.messages(3, fileBytes: 100))
        let refused = try await store.run("replay", "mail", "--as", "funds")
        try #require(refused.isSuccess && refused.output.contains("unverified_sender"), "\(refused)")
        try Self.people.write(toFile: "\(store.folder)/people.csv", atomically: true, encoding: .utf8)
        try plain.write(toFile: store.configuration, atomically: true, encoding: .utf8)
        Self.loseDatabase(of: store)
        let done = try await rebuild(store, ["--json", "--trust-files"])
        let report = try #require(try jsonLines(done.output).first, "\(done)")
        #expect(report["messages"] as? Int == 3 && report["filed"] as? Int == 0, "\(report)")
    }

    /// A damaged record costs itself alone, is named, and is kept.
    @Test func damageCostsItselfAlone() async throws {
        let store = try await Self.filled.value.store.copy()
        defer { store.remove() }
        let folder = "\(store.store)/log"
        let names = TestFile.names(in: folder)
        // The beginning of the first is gone, and a part of a large one; a folder and a piece of something else stand
        // beside them.
        var first = try TestFile.read("\(folder)/\(names[0])")
        first.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16))
        try TestFile.write(first, to: "\(folder)/\(names[0])")
        let large = try #require(names.first { (try? TestFile.read("\(folder)/\($0)").count) ?? 0 > 1_000_000 })
        var bytes = try TestFile.read("\(folder)/\(large)")
        bytes[500_000] ^= 4
        try TestFile.write(bytes, to: "\(folder)/\(large)")
        mkdir("\(folder)/000099.seg", 0o700)
        Self.loseDatabase(of: store)
        let done = try await rebuild(store, ["--json"])
        #expect(done.status == 65, "\(done)")
        let report = try #require(try jsonLines(done.output).first)
        #expect(report["failed"] as? Int == 1, "\(report) \(done.errors)")
        #expect(report["messages"] as? Int == Reference.messages, "\(report)")
        for name in [names[0], large, "000099.seg"] { #expect(done.errors.contains(name), "\(done)") }
        let lost = TestFile.names(in: "\(store.store)/lost")
        #expect(lost == ["log-\(names[0])", "log-\(large)"], "\(lost)")
        #expect(try TestFile.read("\(store.store)/lost/log-\(large)") == bytes)
        rmdir("\(folder)/000099.seg")
        try await expectSound(store)
    }

    @Test func needsPeopleAndSegments() async throws {
        let store = try await Self.filled.value.store.copy()
        defer { store.remove() }
        Self.loseDatabase(of: store)
        for (people, text) in [
            ("email\nann@example.com\n", "has no administrator"), ("email,admin\nann,yes\n", "nothing was changed"),
        ] {
            try people.write(toFile: "\(store.folder)/people.csv", atomically: true, encoding: .utf8)
            let refused = try await rebuild(store)
            #expect(refused.status == 65 && refused.errors.contains(text), "\(refused)")
            #expect(TestFile.names(in: store.store).filter { $0.hasPrefix("fundmail.sqlite") } == [])
        }
        try Self.people.write(toFile: "\(store.folder)/people.csv", atomically: true, encoding: .utf8)
        // All that is left was moved to lost/.
        for name in TestFile.names(in: "\(store.store)/log") {
            rename("\(store.store)/log/\(name)", "\(store.store)/lost/log-\(name)")
        }
        let hint = try await rebuild(store)
        #expect(hint.status == 65 && hint.errors.contains("--from"), "\(hint)")
        let done = try await rebuild(store, ["--from", "\(store.store)/lost"])
        #expect(done.isSuccess && done.output.contains("\(Reference.messages) messages"), "\(done)")
        try await expectSound(store)
    }

    /// An older database beside a newer log: what has no rows is filed again, once.
    @Test(arguments: [nil, ("before_commit", 1), ("after_commit", 1), ("after_commit", 2)] as [(String, Int)?])
    func filesAgainWhatAnOlderDatabaseLacks(killedAt kill: (point: String, number: Int)?) async throws {
        let reference = try await Self.older.value
        let (store, mail) = (try reference.store.copy(), reference.mail)
        defer { store.remove() }
        let log = try segments(of: store)
        if let kill {
            let variables = ["FUNDMAIL_FAILPOINT": "\(kill.point):\(kill.number)", "FUNDMAIL_BATCH": "4"]
            let died = try await store.with(variables).run("verify", "--repair")
            try #require(died.wasKilled, "\(died)")
        }
        #expect(try await findings(store).contains { $0.kind == .newerSegment })
        let mended = try await store.run("verify", "--repair")
        #expect(mended.isSuccess && mended.output.contains("Everything was mended"), "\(mended)")
        #expect(mended.output.contains("filed again"), "\(mended)")
        #expect(TestFile.names(in: "\(store.store)/lost") == [])
        try await expectSound(store)
        let after = try segments(of: store)
        for (name, bytes) in log { #expect(after[name]?.starts(with: bytes) == true, "\(name)") }
        try expect(store, toHave: mail, in: Self.mailTables)
        #expect(try await recovered(store) == ["late.txt", "late.xlsx"])
        // Nothing is filed twice, neither by the same command nor by mail that comes again.
        let again = try await store.run("verify", "--repair")
        #expect(again.isSuccess && again.output.contains("All is well"), "\(again)")
        #expect(try await store.replay().isSuccess)
        try expect(store, toHave: mail, in: ["email"])
    }
}
