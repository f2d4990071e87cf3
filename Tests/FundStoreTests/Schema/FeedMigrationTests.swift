internal import GRDB
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A store of before funds had members and people had feeds of their own.
@Suite struct FeedMigrationTests {
    private static let ann = User.ID(1)
    private static let bob = User.ID(2)
    /// Tag of the epoch in which clients were given cursors.
    private static let epoch: Int64 = 77

    /// Two people with a fund of the same name each; the files of ann are `count`, and bob has one that came last. A
    /// third fund went from bob to ann.
    static func earlierStore(files count: Int) throws -> SchemaHarness {
        let harness = try SchemaHarness()
        try Schema.migrations.migrator.migrate(harness.pool.base, upTo: "24")
        try harness.run(
            """
            INSERT INTO user (id, email, created_at) VALUES (1, 'ann@example.com', 0), (2, 'bob@example.com', 0);
            INSERT INTO address (user_id, address) VALUES (1, 'ann@example.com'), (2, 'bob@example.com');
            INSERT INTO fund (id, owner_id, name, created_at) VALUES (1, 1, 'Fund1', 0), (2, 2, 'Fund1', 0),
                (3, 1, 'Given', 0);
            INSERT INTO fund_key VALUES (1, 'fund1', 1), (2, 'fund1', 2), (1, 'given', 3);
            INSERT INTO blob (id, digest, size) VALUES (1, x'\(ContentDigest.of([]))', 0);
            INSERT INTO file (fund_id, name, name_key, blob_id, size, content_type, created_at, modified_at)
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                SELECT 1, 'file ' || i, 'file ' || i, 1, 0, 'text/plain', 0, 0 FROM n;
            INSERT INTO file (fund_id, name, name_key, blob_id, size, content_type, created_at, modified_at)
                VALUES (2, 'file 1', 'file 1', 1, 0, 'text/plain', 0, 0);
            INSERT INTO change (owner_id, kind, item_id) SELECT 1, 2, id FROM file WHERE fund_id = 1 ORDER BY id;
            INSERT INTO departure (owner_id, seq, kind, item_id)
                SELECT 2, seq + 1, 0, 3 FROM sqlite_sequence WHERE name = 'change';
            UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'change';
            INSERT INTO change (owner_id, kind, item_id) SELECT 2, 2, id FROM file WHERE fund_id = 2;
            INSERT INTO change_epoch (tag, began_after) SELECT \(epoch), seq FROM sqlite_sequence WHERE name = 'change';
            UPDATE counter SET value = (SELECT max(seq) FROM change WHERE owner_id = 1) WHERE name = 'search';
            """)
        return harness
    }

    @Test func cursorsGoOn() async throws {
        let count = 20
        let harness = try Self.earlierStore(files: count)
        let numbers = try harness.pool.read {
            try $0.values("SELECT seq FROM change ORDER BY seq") as [Int64]
        }
        let store = try FundStore.open(at: harness.location.root, mode: .existing)
        let library = store.library
        #expect(try await library.funds(of: Self.ann).map(\.name) == ["Fund1", "Given"])
        #expect(try await library.funds(of: Self.bob).map(\.id) == [Fund.ID(2)])
        // Behind a cursor of before comes what came behind it then: of the one person alone.
        for (index, number) in numbers.enumerated() {
            for user in [Self.ann, Self.bob] {
                let page = try await library.changes(
                    of: user, after: ChangeCursor(epoch: Self.epoch, number: number), limit: 100)
                let own = page.changes.map(\.item)
                let files = own.filter { $0.kind == .file }
                let left = user == Self.ann ? max(0, numbers.count - 2 - index) : index == numbers.count - 1 ? 0 : 1
                #expect(files.count == min(left, user == Self.ann ? count : 1), "\(user) \(number)")
                #expect(user == Self.bob || !own.contains(.fund(Fund.ID(2))))
                #expect(user == Self.ann || !files.contains { $0.number <= count })
            }
        }
        // A change of bob's is one of his feed, and none of hers; the cursors of before go on to it.
        let last = try #require(numbers.last)
        let known = ChangeCursor(epoch: Self.epoch, number: last)
        let seen = try await library.latestChange(of: Self.ann)
        let note = try await library.addNote(NoteText(title: "t", content: "c"), in: Fund.ID(2), of: Self.bob)
        #expect(try await library.changes(of: Self.ann, after: known, limit: 10).changes == [])
        #expect(try await library.latestChange(of: Self.ann) == seen)
        let came = try await library.changes(of: Self.bob, after: known, limit: 10)
        #expect(came.changes.map(\.item) == [.note(note.id)])
        #expect(came.changes.allSatisfy { $0.cursor.number > last })
        // After another start, too.
        try await library.beginChangeEpoch()
        let again = try await library.changes(of: Self.bob, after: known, limit: 10)
        #expect(again.changes.map(\.item) == [.note(note.id)])
        #expect(try await library.changes(of: Self.bob, after: came.cursor, limit: 10).changes == [])
        // Numbers that were never given are refused.
        let never = ChangeCursor(epoch: Self.epoch, number: last + 1)
        #expect(await failure { _ = try await library.changes(of: Self.bob, after: never, limit: 1) } == .outdated)
        #expect(await failure { _ = try await library.changes(of: Self.ann, after: never, limit: 1) } == .outdated)

        while try await library.index.indexPending() > 0 {}
        #expect(try await library.search(SearchQuery(text: "file"), of: Self.bob).items.count == 1)
        let findings = try await store.maintenance.verify().findings
        #expect(findings.filter { $0.kind == .library || $0.kind == .database } == [])
        try store.close()
    }

    /// A hundred thousand files take seconds at most.
    @Test(.timeLimit(.minutes(2))) func manyFiles() throws {
        let harness = try Self.earlierStore(files: 100_000)
        let start = ContinuousClock.now
        try Schema.migrations.run(on: harness.pool)
        let duration = ContinuousClock.now - start
        #expect(duration < .seconds(60), "\(duration)")
        #expect(try harness.texts("SELECT count(*) || '' FROM change WHERE user_id = 1 AND kind = 2") == ["100000"])
        #expect(
            try harness.texts(
                "SELECT user_id || ' ' || fund_id || ' ' || role FROM fund_member ORDER BY user_id, fund_id")
                == ["1 1 owner", "1 3 owner", "2 2 owner"])
        #expect(
            try harness.texts("SELECT count(DISTINCT last) || '' FROM feed") == ["1"])
        #expect(
            try harness.texts("SELECT owner_id || ' ' || kind || ' ' || item_id || ' ' || turn FROM departure")
                == ["2 0 3 1"])
    }
}
