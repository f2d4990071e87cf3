internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Where a subject would lead, and who asks.
struct SubjectTestTests {
    private func json(_ response: RawHTTPResponse) throws -> [String: Any] {
        #expect(response.status == 200, "\(response.text.prefix(300))")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    @Test
    func testsSubjects() async throws {
        let harness = try await ServerHarness()
        let ann = try await harness.token(of: harness.people.ann)
        func test(_ subject: String, _ token: String) async throws -> [String: Any] {
            let body = String(decoding: try JSONSerialization.data(withJSONObject: ["subject": subject]), as: UTF8.self)
            return try json(try await harness.send("POST", "/api/v1/routing/test", token: token, json: body))
        }
        let messages = try await harness.store.administration.countMisroutes(MisrouteFilter())
        var found = try await test("Re: [EXT] [Nope] [fund1] Q3", ann)
        #expect(found["outcome"] as? String == "filed" && found["fund_name"] as? String == "Fund1")
        #expect(found["fund"] as? Int64 == harness.people.fund.id.rawValue && found["tag"] as? String == "fund1")
        let steps = try #require(found["steps"] as? [[String: String]])
        #expect(steps.map { $0["about"] } == ["subject", "tag", "tag", "fund", "outcome"])
        #expect(steps.map { $0["verdict"] } == ["neutral", "neutral", "no", "yes", "yes"])
        found = try await test("[Fnud1] Q3", ann)
        #expect(found["outcome"] as? String == "misrouted" && found["reason"] as? String == "unknown_fund")
        #expect(found["suggestions"] as? [String] == ["Fund1"] && found["tag"] as? String == "Fnud1")
        #expect(found["fund"] is NSNull && found["fund_name"] is NSNull)
        // Bea's fund is none to Ann, under its own name too; and one of a common name is each one's own.
        #expect(try await test("[Other]", ann)["reason"] as? String == "unknown_fund")
        let bea = try await harness.token(of: harness.people.bea)
        let answer = try await test("[Other] \u{202E}{{x}}<b>", bea)
        #expect(answer["fund"] as? Int64 == harness.people.otherFund.id.rawValue)
        let wrong = try await harness.send(
            "POST", "/api/v1/routing/test", token: bea, json: #"{"subject":"[Fund1]"}"#)
        #expect(try json(wrong)["fund"] is NSNull && wrong.text.contains("Other"))
        for subject in ["", "no tag", "[]", "[Fund1", String(repeating: "[x]", count: 333)] {
            #expect(try await test(subject, ann)["outcome"] as? String == "misrouted", "\(subject)")
        }
        let long = String(repeating: "x", count: 1001)
        for body in [#"{"subject":"\#(long)"}"#, "{}", #"{"subject":1}"#, #"{"subject":null}"#] {
            let response = try await harness.send("POST", "/api/v1/routing/test", token: ann, json: body)
            #expect(response.status == 400, "\(response.text)")
        }
        #expect(try await harness.store.administration.countMisroutes(MisrouteFilter()) == messages)
        try await harness.stop()
    }

    @Test
    func showsWhoAsks() async throws {
        let harness = try await ServerHarness()
        let ann = harness.people.ann
        try await harness.store.administration.addAddress("ann.archer@example.org", to: ann.id, actor: "test")
        let me = try json(
            try await harness.send("GET", "/api/v1/me", token: try await harness.token(of: ann)))
        #expect(me["addresses"] as? [String] == ["ann@example.com", "ann.archer@example.org"])
        #expect(me["email"] as? String == "ann@example.com" && me["is_administrator"] as? Bool == false)
        try await harness.stop()
    }
}
