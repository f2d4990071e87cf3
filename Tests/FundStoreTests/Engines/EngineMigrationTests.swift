import FundCore
import PostgreSQLRoom
import TestSupport
import Testing

@testable import FundStore

/// The rows of a store go to a server and back, and say the same.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct EngineMigrationTests {
    /// Texts and numbers that engines might hold differently.
    private static let oddRows = """
        INSERT INTO property (kind, item_id, name, value) VALUES
            (3, 1, 'nul', CAST(x'610062' AS TEXT)), (3, 1, 'broken', CAST(x'61ff62' AS TEXT)),
            (3, 1, 'empty', ''), (3, 1, 'Ünïcode 🗂', 'tab	and
        line');
        UPDATE "user" SET name = NULL;
        INSERT INTO counter VALUES ('test_smallest', -9223372036854775808), ('test_largest', 9223372036854775807);
        """

    /// A store with people, mail, files, folders, notes and what was deleted.
    private static func fill() async throws -> LibraryHarness {
        let harness = try await LibraryHarness()
        let parts = [StoreHarness.Part(name: "Report.pdf", bytes: patternBytes(3000))]
        let mail = try await harness.base.file("Subject: report\n\nbody", parts: parts)
        try await harness.base.file("Subject: other\n\nwords", reason: .unknownSender)
        let folder = try await harness.folder("Q3")
        try await harness.put("plan.txt", "the plan", in: harness.place(folder))
        try await harness.put("gone.txt", "gone")
        try await harness.delete("gone.txt")
        _ = try await harness.store.library.addNote(
            NoteText(title: "Note", content: "words of a note"), in: harness.top.fund, of: harness.ann)
        try await harness.store.library.delete(.email(#require(mail.emailID)), of: harness.ann)
        while try await harness.store.maintenance.index.indexPending() > 0 {}
        try harness.store.close()
        try DatabaseFile.change(location(of: harness).database) { try $0.run(script: oddRows) }
        return harness
    }

    private static func location(of harness: LibraryHarness) -> StoreLocation {
        StoreLocation(root: harness.base.folder + "/store")
    }

    private static func database() throws -> PostgreSQLSettings { try PostgreSQLServer.shared.get().makeDatabase() }

    private func move(
        _ location: StoreLocation, to target: EngineMigration.Target, faults: FaultInjection = .none
    ) throws -> MigrationReport {
        try EngineMigration(of: location.root, to: target, faults: faults).run()
    }

    /// All rows but those of the index of words, with what a copy may change of them: NUL and broken UTF-8.
    private func rows(_ path: String) throws -> [String: [[SQLContent?]]] {
        try DatabaseFile.read(path) { db in
            var rows: [String: [[SQLContent?]]] = [:]
            for table in try Schema.migrations.outline().tables {
                rows[table.name] = try db.rows(table.rows) { row in
                    table.columns.indices.map { row[$0] as SQLContent? }
                }
            }
            let checks = "SELECT name, row_id, value FROM row_check ORDER BY name, row_id"
            rows["row_check"] = try db.rows(checks) { row in (0..<3).map { row[$0] as SQLContent? } }
            return rows
        }
    }

    private func numbers(_ path: String) throws -> [String: Int64] {
        try DatabaseFile.read(path) { try $0.lastNumbers() }.filter { $0.key != "search_item" && $0.value > 0 }
    }

    @Test func thereAndBack() async throws {
        let harness = try await Self.fill()
        let (location, settings) = (Self.location(of: harness), try Self.database())
        let (before, numbersBefore) = (try rows(location.database), try numbers(location.database))
        let plan = try EngineMigration(of: location.root, to: .server(settings.testURL)).plan()
        guard case .moves(rows: let count, bytes: _, isContinued: false) = plan else {
            Issue.record("\(plan)")
            return
        }

        let there = try move(location, to: .server(settings.testURL))
        #expect(there.rows == count && there.tables == before.count - 1)
        let kept = try #require(there.kept)
        #expect(kept.hasPrefix("fundmail.sqlite.before-postgresql-"))
        #expect(try rows(location.path(kept)) == before)
        #expect(try move(location, to: .server(settings.testURL)) == MigrationReport())

        let store = try FundStore.open(at: location.root, mode: .existing, searchWait: StoreHarness.searchWait)
        #expect(try await store.maintenance.verify().findings.isEmpty)
        while try await store.maintenance.index.indexPending() > 0 {}
        let hits = try await store.library.search(SearchQuery(text: "plan"), of: harness.ann)
        #expect(hits.items.count == 1)
        try store.close()

        let back = try move(location, to: .folder)
        #expect(back.rows == there.rows && back.kept == settings.testURL)
        #expect(DiskFile.kind(of: location.places) == nil)
        let after = try rows(location.database)
        for (table, rows) in before where after[table] != rows { Issue.record("\(table) differs") }
        #expect(try numbers(location.database) == numbersBefore)
        let again = try FundStore.open(at: location.root, mode: .existing)
        #expect(try await again.maintenance.verify().findings.isEmpty)
        try again.close()
        #expect(try move(location, to: .folder) == MigrationReport())
    }

    /// NUL and broken UTF-8 become U+FFFD, as everywhere in the store.
    @Test func oddTexts() async throws {
        let harness = try await Self.fill()
        let (location, settings) = (Self.location(of: harness), try Self.database())
        _ = try move(location, to: .server(settings.testURL))
        let server = PostgreSQLRows(settings, size: 1)
        defer { server.close() }
        let values = try server.read("look") { db in
            try db.values("SELECT value FROM property WHERE kind = 3 ORDER BY name") as [String]
        }
        #expect(values == ["a\u{FFFD}b", "", "a\u{FFFD}b", "tab\tand\nline"])
        let numbers: [Int64] = try server.read("look") {
            try $0.values("SELECT value FROM counter WHERE name LIKE 'test%' ORDER BY name")
        }
        #expect(numbers == [.max, .min])
    }

    /// A row that changes on the way is found, on either side, and the store stays what it was; the next try is right.
    @Test(arguments: [false, true]) func aChangedRowIsFound(isOfSource: Bool) async throws {
        let harness = try await Self.fill()
        let (location, settings) = (Self.location(of: harness), try Self.database())
        let address = settings.testURL
        let sql = "UPDATE note SET body = 'changed'"
        let faults = FaultInjection { point in
            guard point == .afterCopiedRows else { return }
            if isOfSource {
                try? DatabaseFile.change(location.database) { try $0.execute(sql) }
            } else {
                let server = PostgreSQLRows(settings, size: 1)
                _ = try? server.write("change a row") { try $0.execute(sql) }
                server.close()
            }
        }
        let failed = try #require(throws: StoreError.self) {
            try EngineMigration(of: location.root, to: .server(address), faults: faults).run()
        }
        #expect(failed.code == .conflict && failed.detail.hasPrefix("the row of note with id "), "\(failed)")
        #expect(DiskFile.kind(of: location.places) == nil)
        try FundStore.open(at: location.root, mode: .existing).close()
        #expect(try move(location, to: .server(address)).rows > 0)
        let store = try FundStore.open(at: location.root, mode: .existing)
        #expect(try await store.maintenance.verify().findings.isEmpty)
        try store.close()
    }

    @Test(arguments: [false, true]) func aChangedRowOnTheWayBackIsFound(isOfSource: Bool) async throws {
        let harness = try await Self.fill()
        let (location, settings) = (Self.location(of: harness), try Self.database())
        _ = try move(location, to: .server(settings.testURL))
        let faults = FaultInjection { point in
            guard point == .afterCopiedRows else { return }
            if isOfSource {
                let server = PostgreSQLRows(settings, size: 1)
                _ = try? server.write("change a row") { try $0.execute("UPDATE note SET body = 'changed'") }
                server.close()
            } else {
                try? DatabaseFile.change(location.migrationDraft) { try $0.execute("DELETE FROM note") }
            }
        }
        let failed = try #require(throws: StoreError.self) {
            try EngineMigration(of: location.root, to: .folder, faults: faults).run()
        }
        #expect(failed.code == .conflict && failed.detail.hasPrefix("the row of note with id "), "\(failed)")
        #expect(DiskFile.kind(of: location.places) != nil)
        #expect(try move(location, to: .folder).rows > 0)
        try FundStore.open(at: location.root, mode: .existing).close()
    }

    @Test func refusals() async throws {
        let harness = try await Self.fill()
        let location = Self.location(of: harness)
        func refusal(_ target: EngineMigration.Target) -> StoreError? {
            #expect(throws: StoreError.self) { try move(location, to: target) }
        }
        let taken = try Self.database()
        try PostgreSQLSession(taken).run(script: "CREATE TABLE invoice (id bigint)")
        #expect(refusal(.server(taken.testURL))?.detail.contains("has other tables") == true)

        let others = try await StoreHarness()
        try others.store.close()
        let used = try Self.database()
        _ = try move(StoreLocation(root: others.folder + "/store"), to: .server(used.testURL))
        #expect(refusal(.server(used.testURL))?.detail.contains("another store") == true)

        #expect(refusal(.server("postgres://ann:secret@127.0.0.1/x"))?.detail.contains("~/.pgpass") == true)
        #expect(refusal(.server("postgres://ann@127.0.0.1:1/x"))?.code == .unreachable)

        let store = try FundStore.open(at: location.root, mode: .existing)
        #expect(refusal(.server(try Self.database().testURL))?.code == .held)
        try store.close()

        let first = try Self.database()
        _ = try move(location, to: .server(first.testURL))
        #expect(refusal(.server(try Self.database().testURL))?.detail.contains("--to sqlite") == true)
        // Rows that were left on the server are not taken for those of today.
        _ = try move(location, to: .folder)
        try DatabaseFile.change(location.database) { try $0.execute("UPDATE note SET title = 'later'") }
        #expect(refusal(.server(first.testURL))?.detail.contains("of another time") == true)
    }

    @Test func damagedRowsGoNowhere() async throws {
        let harness = try await Self.fill()
        let location = Self.location(of: harness)
        try DatabaseFile.change(location.database) { db in
            try db.execute("UPDATE row_check SET value = 1 WHERE name = 'fund' AND row_id = 1")
        }
        let failed = try #require(throws: StoreError.self) {
            try move(location, to: .server(Self.database().testURL))
        }
        #expect(failed.code == .corrupted && failed.detail.contains("row 1 of fund"), "\(failed)")
    }
}
