internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// What those who send mail ask about it.
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
        try await harness.stop()
    }
}
