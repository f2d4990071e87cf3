internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Funds with counts, and what is new in them.
struct FundSummaryTests {
    private func json(_ response: RawHTTPResponse) throws -> [String: Any] {
        #expect(response.status == 200, "\(response.text.prefix(300))")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    private func sorted(_ object: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
    }

    @Test
    func countsWhatIsNew() async throws {
        let harness = try await ServerHarness()
        let (people, store) = (harness.people, harness.store)
        let ann = try await harness.token(of: people.ann)
        let target = "/api/v1/funds/\(people.fund.id)"
        func summary() async throws -> [String: Any] {
            try json(try await harness.send("GET", target + "/summary", token: ann))
        }
        var found = try await summary()
        #expect(found["file_count"] as? Int == 3 && found["email_count"] as? Int == 1)
        #expect(found["note_count"] as? Int == 0 && found["new_email_count"] as? Int == 1)
        #expect(found["seen_at"] is NSNull && found["latest_email_at"] is Int64)
        let list = try #require(
            try json(try await harness.send("GET", "/api/v1/funds", token: ann))["funds"] as? [[String: Any]])
        let whole = (try sorted(list[0]), try sorted(found))
        #expect(list.count == 1 && whole.0 == whole.1)
        func seen(_ body: String) async throws -> RawHTTPResponse {
            try await harness.send("POST", target + "/seen", token: ann, json: body)
        }
        #expect(try json(try await seen("{}"))["new_email_count"] as? Int == 0)
        // A mail changes the tag of the summary, and not that of the fund.
        let tag = try #require(try await harness.send("GET", target, token: ann)["etag"])
        let summaryTag = try #require(try await harness.send("GET", target + "/summary", token: ann)["etag"])
        let email = try #require(
            try await TestPeople.file("second", [], in: people.fund, of: people.ann, store).emailID)
        _ = try await TestPeople.file("third", [], in: people.fund, of: people.ann, store)
        #expect(try await harness.send("GET", target, token: ann)["etag"] == tag)
        let changed = try await harness.send(
            "GET", target + "/summary", token: ann, fields: ["If-None-Match": summaryTag])
        #expect(changed.status == 200)
        found = try await summary()
        #expect(found["new_email_count"] as? Int == 2 && found["new_file_count"] as? Int == 0)
        #expect(try json(try await seen(#"{"latest_email":\#(email)}"#))["new_email_count"] as? Int == 1)
        #expect(try json(try await seen(#"{"latest_email":null}"#))["new_email_count"] as? Int == 0)
        for body in [#"{"latest_email":"x"}"#, #"{"latest_email":1e300}"#, "[]", ""] {
            #expect(try await seen(body).status == 400, "\(body)")
        }
        try await harness.stop()
    }
}
