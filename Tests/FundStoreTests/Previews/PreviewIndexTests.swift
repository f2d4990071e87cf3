import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The counts of `/metrics`, by indexes alone.
@Suite struct PreviewIndexTests {
    private static let names = ["job_waiting", "rendition_amount", "rendition_failure"]

    private func names(_ store: SQLPreviewStore) async throws -> [String] {
        try await store.reading("list indexes") { db in
            try db.values("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name") as [String]
        }
    }

    /// A cache that an earlier version made gets them, and keeps what is in it.
    @Test func indexesThatAreMissingAreMade() async throws {
        let harness = try await StoreHarness()
        let content = ContentDigest.of([1])
        var store = harness.store.previews
        let order = PreviewOrder(RenditionKey(content, .thumbnail), size: 1, .fresh)
        #expect(try await store.enqueue([order], at: 7) == 1)
        try await store.writing("be an earlier version") { db in
            for name in Self.names { try db.execute("DROP INDEX \(name)") }
            try db.execute("CREATE INDEX rendition_used ON rendition (kind, used_at) WHERE failure IS NULL")
        }
        try harness.reopen()
        store = harness.store.previews
        let found = try await names(store)
        #expect(Set(found).isSuperset(of: Self.names) && !found.contains("rendition_used"))
        let status = try await store.status()
        #expect(status.waiting == [.fresh: 1] && status.oldestWaitingAt == 7)
    }

    @Test(arguments: [
        SQLPreviewStore.countReady, SQLPreviewStore.countFailures, SQLPreviewStore.countWork,
    ])
    func countsReadNoRows(_ sql: String) async throws {
        let harness = try await StoreHarness()
        let plan: [String] = try await harness.store.previews.reading("explain") { db in
            try db.rows("EXPLAIN QUERY PLAN " + sql) { $0[3] }
        }
        #expect(plan.allSatisfy { $0.contains("COVERING INDEX") }, "\(plan)")
    }
}
