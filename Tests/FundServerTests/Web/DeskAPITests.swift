internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// The misrouted desk by the web API.
struct DeskAPITests {
    private struct Desk {
        let harness: ServerHarness
        let root: String

        init() async throws {
            harness = try await ServerHarness()
            root = try await harness.token(of: harness.people.root)
        }

        func get(_ path: String) async throws -> [String: Any] {
            try Self.json(try await harness.send("GET", "/api/v1/admin/" + path, token: root))
        }

        func post(_ path: String, _ body: String = "{}", status: Int = 200) async throws -> [String: Any] {
            let answer = try await harness.send("POST", "/api/v1/admin/" + path, token: root, json: body)
            #expect(answer.status == status, "\(answer.text)")
            return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        }

        static func json(_ answer: RawHTTPResponse) throws -> [String: Any] {
            #expect(answer.status == 200, "\(answer.text)")
            return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        }

        /// Mail of `user` that has no tag; nil of a stranger.
        func keep(_ text: String) async throws -> Int64 {
            let stored = try await TestPeople.file(text, [], in: nil, of: harness.people.ann, harness.store)
            return try #require(stored.misrouteID).rawValue
        }

        func outcomes(_ report: [String: Any]) throws -> [String] {
            try #require(report["results"] as? [[String: Any]]).map { "\($0["message"] ?? "") \($0["outcome"] ?? "")" }
        }
    }

    @Test
    func filesManyAndUndoesThem() async throws {
        let desk = try await Desk()
        let fund = desk.harness.people.fund.id
        let first = try await desk.keep("a")
        let second = try await desk.keep("b")
        let before = try await desk.get("desk")
        let report = try await desk.post(
            "desk/acts", #"{"kind":"assign","messages":[\#(first),999,\#(second)],"fund":\#(fund)}"#)
        #expect(try desk.outcomes(report) == ["\(first) filed", "999 refused", "\(second) filed"])
        let refused = try #require((report["results"] as? [[String: Any]])?[1])
        #expect(refused["error"] as? String == "not-found")
        let act = try #require(report["act"] as? Int64)
        let done = try await desk.get("desk/acts/\(act)")
        #expect(done["count"] as? Int == 2 && done["standing"] as? Int == 2)
        #expect(done["actor"] as? String == "root@example.com")
        #expect(try await desk.get("desk")["filed_by_hand"] as? Int == 2)
        // Another administrator comes too late.
        let late = try await desk.post("misrouted/\(first)/assign", #"{"fund":\#(fund)}"#, status: 409)
        let words = "root@example.com filed it into [Fund1] of ann@example.com"
        #expect((late["detail"] as? String)?.hasPrefix(words) == true)
        let undone = try await desk.post("desk/acts/\(act)/undo")
        #expect(try desk.outcomes(undone) == ["\(second) done", "\(first) done"])
        #expect(try desk.outcomes(try await desk.post("desk/acts/\(act)/undo")).isEmpty)
        #expect(try await desk.get("desk")["waiting"] as? Int == before["waiting"] as? Int)
        let acts = try #require(try await desk.get("desk/acts")["acts"] as? [[String: Any]])
        #expect(acts.count == 1 && acts[0]["undone_by"] as? String == "root@example.com")
        let audit = try await desk.harness.store.administration.audit(PageQuery(limit: 2)).items
        #expect(audit.allSatisfy { $0.action == "misroute.undo" && $0.actor == "root@example.com" })
        try await desk.harness.stop()
    }

    @Test
    func actsOnACause() async throws {
        let desk = try await Desk()
        let first = try await desk.keep("a")
        let second = try await desk.keep("b")
        _ = try await desk.keep("c")
        let causes = try #require(try await desk.get("desk/causes?attention=waiting")["causes"] as? [[String: Any]])
        #expect(causes.count == 1 && causes[0]["count"] as? Int == 4)  // one is there from the beginning
        let later = try await desk.post(
            "desk/acts", #"{"kind":"later","like":\#(first),"up_to":\#(second),"until":99999999999}"#)
        #expect(try desk.outcomes(later).count == 3 && later["left"] as? Int == 0)
        #expect(try await desk.get("desk")["later"] as? Int == 3)
        let put = try #require(try await desk.get("misrouted?attention=later")["messages"] as? [[String: Any]])
        #expect(put.count == 3 && put.allSatisfy { $0["put_off_until"] as? Int64 == 99_999_999_999 })
        for body in [
            "{}", #"{"kind":"explode","messages":[1]}"#, #"{"kind":"retry"}"#, #"{"kind":"retry","messages":[]}"#,
            #"{"kind":"retry","messages":[1,1]}"#, #"{"kind":"retry","messages":[1],"like":1}"#,
            #"{"kind":"assign","messages":[1]}"#,
        ] {
            _ = try await desk.post("desk/acts", body, status: 400)
        }
        _ = try await desk.post("desk/acts", #"{"kind":"retry","like":999}"#, status: 404)
        try await desk.harness.stop()
    }

    /// Filing into a fund of another person asks once, and names both.
    @Test
    func asksBeforeAnotherPersonGetsMail() async throws {
        let desk = try await Desk()
        let beas = try await desk.harness.store.library.addFund("Beas", of: desk.harness.people.bea.id)
        let id = try await desk.keep("a")
        let path = "misrouted/\(id)/assign"
        let asked = try await desk.post(path, #"{"fund":\#(beas.id)}"#, status: 409)
        #expect((asked["type"] as? String)?.hasSuffix("needs-confirmation") == true)
        let detail = try #require(asked["detail"] as? String)
        #expect(detail.contains("ann@example.com") && detail.contains("[Beas] is a fund of bea@example.com"))
        let many = try await desk.post("desk/acts", #"{"kind":"assign","messages":[\#(id)],"fund":\#(beas.id)}"#)
        #expect(try desk.outcomes(many) == ["\(id) refused"] && many["act"] is NSNull)
        let filed = try await desk.post(path, #"{"fund":\#(beas.id),"confirm_owner":true}"#)
        #expect(filed["outcome"] as? String == "filed" && filed["act"] is Int64)
        try await desk.harness.stop()
    }

    @Test
    func showsWhatIsInAMessageAndWhereItMayBelong() async throws {
        let desk = try await Desk()
        let id = desk.harness.people.misrouted
        let seen = try await desk.get("misrouted/\(id)/content")
        let offers = try #require(seen["offers"] as? [[String: Any]])
        #expect(offers.first?["fund_name"] as? String == "Fund1", "\(seen)")
        #expect(offers.first?["owner_email"] as? String == "ann@example.com")
        let kinds = try #require(offers.first?["evidence"] as? [[String: Any]]).compactMap { $0["kind"] as? String }
        #expect(kinds.contains("earlier_mails"), "\(kinds)")
        let decision = try #require(seen["decision"] as? [String: Any])
        #expect((decision["steps"] as? [[String: Any]])?.last?["about"] as? String == "outcome")
        let entry = try #require(
            try await desk.harness.store.administration.audit(PageQuery(limit: 1)).items.first)
        #expect(entry.action == "misroute.open" && entry.actor == "root@example.com")
        #expect(entry.subject == "misrouted \(id)")
        try await desk.harness.stop()
    }
}
