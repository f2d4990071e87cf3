internal import GRDB
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The step that takes the reach of app passwords into the checksums of tokens.
struct TokenCheckTests {
    @Test func anotherReachIsFound() throws {
        let harness = try SchemaHarness()
        let migrations = Schema.migrations
        let step = try #require(migrations.steps.first { $0.title == "checksums of the reach of app passwords" })
        try migrations.migrator.migrate(harness.pool.base, upTo: migrations.steps[step.number - 2].name)
        try harness.run(
            """
            INSERT INTO user (id, email, created_at) VALUES (1, 'ann@example.com', 0);
            INSERT INTO token (id, user_id, kind, label, digest, created_at)
                VALUES (1, 1, 'app', 'a', randomblob(32), 0), (2, 1, 'app', 'b', randomblob(32), 0),
                    (3, 1, 'app', 'c', randomblob(32), 0);
            DROP TRIGGER row_check_token_update;
            UPDATE token SET kind = 'web' WHERE id = 2;
            """)
        try migrations.run(on: harness.pool)
        func changed() throws -> [Int64] { try harness.pool.read { try RowChecks.changes($0).map(\.row) } }
        #expect(try changed() == [2])
        try harness.run("UPDATE token SET reach = 'read' WHERE id = 3")
        #expect(try changed() == [2])
        // Written by no trigger, as by a damaged disk.
        try harness.run("DROP TRIGGER row_check_token_update; UPDATE token SET reach = 'read' WHERE id = 1")
        #expect(try Set(changed()) == [1, 2])
    }
}
