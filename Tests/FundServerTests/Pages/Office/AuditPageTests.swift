internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// The audit trail over HTTP: filters, pages and tables.
struct AuditPageTests {
    private static func fill(_ harness: ServerHarness, _ count: Int = 1, subject: String) async throws {
        let quoted = subject.replacing("'", with: "''")
        try StoreSnapshot.execute(
            """
            INSERT INTO audit (at, actor, action, subject, detail)
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < \(count - 1))
            SELECT \(Timestamp.now), '=cmd|'' /C calc''!A0', 'test.run', '\(quoted)', 'number ' || n || ', "quoted"'
            FROM number
            """, in: harness.folder + "/store")
    }

    @Test
    func filtersOverTheAPI() async throws {
        let harness = try await ServerHarness()
        try await Self.fill(harness, subject: "@SUM(1)")
        let token = try await harness.token(of: harness.people.root)
        let one = try await harness.send("GET", "/api/v1/admin/audit?action=test&subject=sum", token: token)
        #expect(one.status == 200 && one.text.contains("test.run") && !one.text.contains("user.add"))
        let none = try await harness.send("GET", "/api/v1/admin/audit?action=tes", token: token)
        #expect(none.text.contains(#""entries":[]"#))
        let late = try await harness.send("GET", "/api/v1/admin/audit?since=99999999999", token: token)
        #expect(late.text.contains(#""entries":[]"#))
        #expect(try await harness.send("GET", "/api/v1/admin/audit?until=x", token: token).status == 400)
        try await harness.stop()
    }

    /// A table of more than one page, of which no cell is a formula.
    @Test
    func writesTables() async throws {
        let harness = try await ServerHarness()
        try await Self.fill(harness, 1203, subject: "@SUM(1)")
        let token = try await harness.token(of: harness.people.root)
        let table = try await harness.send("GET", "/api/v1/admin/audit.csv?action=test", token: token)
        #expect(table.status == 200 && table["content-type"] == "text/csv; charset=utf-8; header=present")
        let lines = table.text.split(separator: "\r\n")
        #expect(lines.count == 1204 && lines[0] == "id,time,actor,action,subject,detail")
        #expect(lines[1].hasSuffix(#""'=cmd|' /C calc'!A0",test.run,"'@SUM(1)","number 1202, ""quoted""""#))
        let head = try await harness.send("HEAD", "/api/v1/admin/audit.csv", token: token)
        #expect(head.status == 200 && head.body.isEmpty)

        let root = try await BrowserSession(harness.people.root, harness)
        let sheet = try await root.get("/office/audit.csv?action=test&since=2020-01-01", harness)
        #expect(
            sheet.body.starts(with: [0xEF, 0xBB, 0xBF]) && sheet["content-disposition"]?.hasPrefix("attachment") == true
        )
        #expect(try await root.get("/office/audit.csv?since=yesterday", harness).status == 400)
        try await harness.stop()
    }

    /// More than what one connection may have unsent.
    @Test
    func writesLongTables() async throws {
        let harness = try await ServerHarness()
        try StoreSnapshot.execute(
            """
            INSERT INTO audit (at, actor, action, subject, detail)
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 29999)
            SELECT n, 'fundmail', 'test.run', 'misrouted ' || n, hex(zeroblob(100)) FROM number
            """, in: harness.folder + "/store")
        let token = try await harness.token(of: harness.people.root)
        let table = try await harness.send("GET", "/api/v1/admin/audit.csv?action=test", token: token)
        #expect(!table.isCut && table.body.count > 6_000_000)
        #expect(table.text.split(separator: "\r\n").count == 30_001)
        try await harness.stop()
    }

    @Test
    func showsAPageOfWhatFits() async throws {
        let harness = try await ServerHarness()
        try await Self.fill(harness, 130, subject: "</bdi><script>alert(1)</script>")
        let root = try await BrowserSession(harness.people.root, harness)
        let page = try await root.get("/office/audit?action=test&actor=CMD", harness)
        #expect(page.status == 200)
        #expect(page.text.components(separatedBy: "class=\"row\" data-action").count == 101)
        #expect(page.text.contains(#"href="/office/audit?actor=CMD&amp;action=test&amp;cursor="#))
        #expect(!page.text.contains("<script>alert"))
        #expect(
            page.text.contains(#"<option value="test.run">"#) && page.text.contains(#"<option value="test" selected>"#))
        let empty = try await root.get("/office/audit?until=2001-02-03", harness)
        #expect(empty.text.contains("No entries match."))
        for day in ["2001-02-30", "01-02-2001", "x"] {
            let wrong = try await root.get("/office/audit?until=\(day)", harness)
            #expect(wrong.status == 400 && wrong.text.contains("Write the day as"))
        }
        try await harness.stop()
    }
}
