import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct AuditTests {
    private static func trail() async throws -> StoreHarness {
        let harness = try await StoreHarness()
        try await harness.store.connection.writing("fill the audit trail") { db in
            try db.execute("DELETE FROM audit")
            for (index, (actor, action, subject)) in [
                ("Ann@example.com", "user.add", "bob@example.com"), ("ann@example.com", "fund.add", "Fund1"),
                ("bob@example.com", "fund.rename", "Fund1"), ("fundmail", "misroute.file", "misrouted 12"),
                ("fundmail", "misroutes", "Größe"), ("root", "misroute", "100%"),
            ].enumerated() {
                // Some are of actions that no version of the program has.
                try db.execute(
                    "INSERT INTO audit (at, actor, action, subject, detail) VALUES (?, ?, ?, ?, '')",
                    [Int64(1000 + index / 2), actor, action, subject])
            }
        }
        return harness
    }

    @Test(
        arguments: [
            (nil, nil, nil, nil, nil, [6, 5, 4, 3, 2, 1]), ("ann", nil, nil, nil, nil, [2, 1]),
            ("EXAMPLE", nil, nil, nil, nil, [3, 2, 1]), ("nobody", nil, nil, nil, nil, []),
            (nil, "misroute", nil, nil, nil, [6, 4]), (nil, "misr", nil, nil, nil, []),
            (nil, "fund.add", nil, nil, nil, [2]), ("ann", "fund", nil, nil, nil, [2]),
            ("root", "fund", nil, nil, nil, []),
            (nil, nil, "fund", nil, nil, [3, 2]), (nil, nil, "Größe", nil, nil, [5]), (nil, nil, "0%", nil, nil, [6]),
            ("bob", "fund", "fund1", nil, nil, [3]), (nil, nil, nil, 1001, nil, [6, 5, 4, 3]),
            (nil, nil, nil, nil, 1001, [2, 1]), ("fundmail", nil, nil, 1002, 1002, []),
            (nil, "fund", nil, 1000, 1001, [2]),
        ] as [(String?, String?, String?, Int64?, Int64?, [Int64])])
    func filters(
        actor: String?, action: String?, subject: String?, since: Int64?, until: Int64?, ids: [Int64]
    ) async throws {
        let harness = try await Self.trail()
        var filter = AuditFilter()
        (filter.actor, filter.action, filter.subject) = (actor, action, subject)
        (filter.since, filter.until) = (since.map { Timestamp($0) }, until.map { Timestamp($0) })
        for limit in [1, 2, 100] {
            var (found, cursor): ([AuditEntry], String?) = ([], nil)
            repeat {
                let page = try await harness.store.administration.audit(
                    filter, PageQuery(limit: limit, cursor: cursor))
                found += page.items
                cursor = page.next
            } while cursor != nil
            #expect(found.map(\.id.rawValue) == ids, "pages of \(limit)")
        }
    }

    @Test func listsActions() async throws {
        let harness = try await Self.trail()
        #expect(
            try await harness.store.administration.auditActions() == [
                "fund.add", "fund.rename", "misroute", "misroute.file", "misroutes", "user.add",
            ])
    }

    /// More people than are looked for one by one.
    @Test func findsManyActors() async throws {
        let harness = try await StoreHarness()
        try await harness.store.connection.writing("fill the audit trail") { db in
            for number in 0..<150 { try db.writeAudit(.tokenAdd, of: "x", by: "many\(number)@example.com") }
        }
        var filter = AuditFilter()
        filter.actor = "MANY"
        for action in [nil, "token", "token.add"] {
            filter.action = action
            let found = try await harness.store.administration.audit(filter, PageQuery()).items
            #expect(found.count == 150)
        }
    }

    @Test(arguments: [
        (AuditList.Source.time, ["entry USING INDEX audit_at"]),
        (.action, ["COVERING INDEX audit_action", "entry USING INDEX audit_action (action=?"]),
        (
            .actor,
            [
                "COVERING INDEX audit_actor (actor>?)", "COVERING INDEX audit_action (action>?)",
                "entry USING INDEX audit_actor (actor=? AND action=?",
            ]
        ),
    ])
    func readsByItsIndexes(source: AuditList.Source, parts: [String]) async throws {
        let harness = try await StoreHarness()
        let plan = try harness.store.connection.read("plan") { db in
            let texts: [String] = try db.rows(
                "EXPLAIN QUERY PLAN " + AuditList.sql(source, limit: 101), ["a", "b", nil, nil, 1, 1]
            ).map { $0[3] }
            return texts.joined(separator: "; ")
        }
        for part in parts { #expect(plan.contains(part), "\(plan)") }
        #expect(!plan.contains("SCAN audit") && !plan.contains("SCAN entry"), "\(plan)")
    }
}
