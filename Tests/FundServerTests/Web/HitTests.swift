internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Hits of a search, with what they show, and filters.
struct HitTests {
    private func json(_ response: RawHTTPResponse) throws -> [String: Any] {
        #expect(response.status == 200, "\(response.text.prefix(300))")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    @Test
    func showsExcerpts() async throws {
        let harness = try await ServerHarness()
        let ann = try await harness.token(of: harness.people.ann)
        let hits = try #require(
            try json(try await harness.send("GET", "/api/v1/search?q=BODY%20fir&type=email", token: ann))["hits"]
                as? [[String: Any]])
        let excerpt = try #require(hits.first?["excerpt"] as? [[String: Any]])
        #expect(excerpt.map { $0["text"] as? String } == ["body", " of ", "first"])
        #expect(excerpt.map { $0["is_match"] as? Bool } == [true, false, true])
        for query in ["type=email&sender=nobody", "type=note", "until=1", "since=4000000000"] {
            let found = try json(try await harness.send("GET", "/api/v1/search?q=body&\(query)", token: ann))
            #expect((found["hits"] as? [Any])?.isEmpty == true, "\(query)")
        }
        for query in ["type=fund", "type=x", "type=", "since=x", "until=-1"] {
            #expect(
                try await harness.send("GET", "/api/v1/search?q=body&\(query)", token: ann).status == 400, "\(query)")
        }
        try await harness.stop()
    }
}
