import FundCore
import FundStore
import Foundation
import TestSupport
import Testing

/// `fundmail links` on a real store.
@Suite(.startsPrograms) struct LinksCommandTests {
    private static let now = Timestamp.now.rawValue

    /// A store with a live link and one that has expired, of its first person.
    private static func withLinks(_ body: (ReplayStore) async throws -> Void) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let rows = [(1, now + 86_400), (2, now - 60)].map { id, end in
            """
            (\(id), (SELECT min(id) FROM "user"), randomblob(32), randomblob(32), 'download', \(now - 90_000), \(end),
                10)
            """
        }
        try StoreSnapshot.execute(
            """
            INSERT INTO share_link (id, owner_id, digest, seed, purpose, created_at, expires_at, max_openings)
            VALUES \(rows.joined(separator: ", "));
            INSERT INTO share_item (link_id, kind, item_id) VALUES (1, 2, 7), (2, 2, 8)
            """, in: store.store)
        try await body(store)
    }

    @Test func listsAndRevokes() async throws {
        try await Self.withLinks { store in
            let lines = try jsonLines(try await store.run("links", "list", "--json").output)
            #expect(lines.map { $0["state"] as? String } == ["expired", "live"])
            let owner = try #require(lines.first?["owner"] as? String)
            let table = try await store.run("links", "list", "--live").output
            #expect(table.contains("file 7") && table.contains("0 of 10") && !table.contains("expired"), "\(table)")
            #expect(
                try await store.run("links", "list", "--owner", owner, "--json").output.split(separator: "\n").count
                    == 2)
            let ended = try await store.run("links", "revoke", "1")
            #expect(ended.isSuccess && ended.output == "1: ended.\n", "\(ended)")
            #expect(try await store.run("links", "revoke", "1").output == "1: had ended before.\n")
            #expect(try await store.run("links", "revoke", "--owner", owner).output == "2: ended.\n")
            let unknown = try await store.run("links", "revoke", "99")
            #expect(unknown.status == 65 && unknown.errors.contains("99"), "\(unknown)")
            let audit = try await store.run("audit", "--format", "json", "--action", "link").output
            #expect(try jsonLines(audit).map { $0["action"] as? String } == ["link.revoke", "link.revoke"])
        }
    }

    @Test(arguments: [["revoke"], ["revoke", "1", "--owner", "a@example.com"]])
    func saysWhatIsWrong(_ words: [String]) async throws {
        let done = try await BuiltProgram().run(["links"] + words + ["--store", "/nowhere"])
        #expect(done.status == 64 && done.errors.contains("Give the numbers of links"), "\(done)")
    }
}
