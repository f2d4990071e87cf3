import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct SchemaTests {
    @Test func whatANewStoreHas() throws {
        let harness = try SchemaHarness()
        try Schema.migrations.run(on: harness.pool)
        #expect(try harness.pool.read { try $0.applicationID } == Schema.applicationID)
        #expect(
            try harness.texts("SELECT name FROM counter ORDER BY name") == [
                "account", "directory", "history", "log_position", "store",
            ])
        // A cursor that is given before the first start of a server can be told from those of other stores.
        #expect(try harness.pool.read { try ChangeEpochs.current($0) } != 0)
        let problems = try harness.pool.read { try $0.problems() }
        #expect(problems.integrity == [] && problems.references == [])
    }

    /// Values of `segment`, `record_offset`, `record_bytes` and `raw_dropped_at`.
    @Test(arguments: [
        ("1, 16, 100, NULL", true), ("NULL, NULL, NULL, 5", true), ("NULL, NULL, NULL, NULL", false),
        ("1, 16, 100, 5", false),
    ])
    func aMessageHasARecordUntilItIsDropped(_ values: String, isTaken: Bool) throws {
        let harness = try SchemaHarness()
        try Schema.migrations.run(on: harness.pool)
        let sql = """
            INSERT INTO message (digest, fingerprint, size, outcome, place, received_at, segment, record_offset,
                record_bytes, raw_dropped_at)
            VALUES (zeroblob(32), zeroblob(32), 1, 'filed', 'a.eml', 1, \(values))
            """
        #expect(((try? harness.run(sql)) != nil) == isTaken)
    }

    /// Values of `size`, `segment`, `record_offset` and `record_bytes`.
    @Test(arguments: [
        ("1, 1, 16, 100", true), ("0, NULL, NULL, NULL", true), ("1, NULL, NULL, NULL", false),
        ("0, 1, 16, 100", false),
    ])
    func aBlobHasARecordUnlessItIsEmpty(_ values: String, isTaken: Bool) throws {
        let harness = try SchemaHarness()
        try Schema.migrations.run(on: harness.pool)
        let sql = """
            INSERT INTO blob (digest, size, segment, record_offset, record_bytes) VALUES (zeroblob(32), \(values))
            """
        #expect(((try? harness.run(sql)) != nil) == isTaken)
    }
}
