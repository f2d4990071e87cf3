internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Questions of people who send mail, about it.
struct SenderTests {
    private func json(_ response: RawHTTPResponse) throws -> [String: Any] {
        #expect(response.status == 200, "\(response.text.prefix(300))")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    @Test
    func tellsWhatBecameOfMail() async throws {
        let harness = try await ServerHarness()
        let ann = try await harness.token(of: harness.people.ann)
        let messages = try #require(
            try json(try await harness.send("GET", "/api/v1/received", token: ann))["messages"] as? [[String: Any]])
        #expect(messages.map { $0["outcome"] as? String } == ["misrouted", "filed"])
        #expect(messages.map { $0["reason"] as? String } == ["no_tag", nil])
        #expect(messages[1]["fund_name"] as? String == "Fund1")
        #expect(messages[1]["email"] as? Int64 == harness.people.email.rawValue)
        for person in [harness.people.bea, harness.people.root] {
            let token = try await harness.token(of: person)
            let found = try json(try await harness.send("GET", "/api/v1/received", token: token))
            #expect((found["messages"] as? [Any])?.isEmpty == true)
        }
        // An administrator files it; Ann sees by whom.
        let root = try await harness.token(of: harness.people.root)
        let assign = "/api/v1/admin/misrouted/\(harness.people.misrouted)/assign"
        let body = #"{"fund":\#(harness.people.fund.id)}"#
        #expect(try await harness.send("POST", assign, token: root, json: body).status == 200)
        let later = try #require(
            try json(try await harness.send("GET", "/api/v1/received", token: ann))["messages"] as? [[String: Any]])
        #expect(later[0]["outcome"] as? String == "filed" && later[0]["reason"] as? String == "no_tag")
        #expect(later[0]["resolved_by"] as? String == "root@example.com" && later[0]["resolved_at"] is Int64)
        #expect(later.allSatisfy { $0["is_given_away"] as? Bool == false })
        // The fund gets another name and owner: it says so, and neither of the two.
        let fund = "/api/v1/admin/funds/\(harness.people.fund.id)"
        let (name, owner) = (#"{"name":"Hidden"}"#, #"{"owner":\#(harness.people.bea.id)}"#)
        #expect(try await harness.send("PATCH", fund, token: root, json: name).status == 200)
        #expect(try await harness.send("POST", fund + "/give", token: root, json: owner).status == 200)
        let answer = try await harness.send("GET", "/api/v1/received", token: ann)
        let given = try #require(try json(answer)["messages"] as? [[String: Any]])
        #expect(given.count == 2 && given.allSatisfy { $0["is_given_away"] as? Bool == true })
        #expect(given.allSatisfy { $0["outcome"] as? String == "filed" && $0["fund_name"] is NSNull })
        let page = try await BrowserSession(harness.people.ann, harness).get("/library/sent", harness)
        #expect(page.text.contains("filed") && page.text.contains("its fund has a new owner"))
        for text in [answer.text, page.text] { #expect(!text.contains("Hidden") && !text.contains("bea")) }
        try await harness.stop()
    }
}
