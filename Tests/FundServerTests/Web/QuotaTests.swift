import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Limits of what people's files may take, by the web API.
struct QuotaTests {
    private static func object(_ response: RawHTTPResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    @Test
    func administratorsLimitPeople() async throws {
        let harness = try await ServerHarness()
        let people = harness.people
        let (root, ann) = (try await harness.token(of: people.root), try await harness.token(of: people.ann))
        let path = "/api/v1/admin/users/\(people.ann.id)"
        func change(_ body: String) async throws -> RawHTTPResponse {
            try await harness.send("PATCH", path, token: root, json: body)
        }
        func put(_ name: String, _ bytes: Int) async throws -> RawHTTPResponse {
            try await harness.send(
                "POST", "/api/v1/funds/\(people.fund.id)/files?name=\(name)", token: ann,
                fields: ["Content-Type": "text/plain"], body: [UInt8](repeating: 97, count: bytes))
        }
        let used = try await harness.store.library.storageUse(of: people.ann.id).used
        var me = try Self.object(try await harness.send("GET", "/api/v1/me", token: ann))
        #expect(me["quota"] as? String == "default" && me["quota_bytes"] is NSNull)
        #expect(me["used_bytes"] as? Int64 == used)
        let own = try Self.object(try await change("{\"quota_bytes\":\(used + 10)}"))
        #expect(own["quota"] as? String == "own" && own["quota_bytes"] as? Int64 == used + 10)
        let refused = try await put("large", 11)
        #expect(refused.status == 507)
        #expect(try Self.object(refused)["type"] as? String == "urn:fundmail:problem:over-quota")
        // A large one is refused before its bytes come.
        let announced = try await harness.raw(
            """
            POST /api/v1/funds/\(people.fund.id)/files?name=large HTTP/1.1\r
            Host: 127.0.0.1:\(harness.port)\r
            Authorization: Bearer \(ann)\r
            Content-Type: text/plain\r
            Content-Length: 2000000\r
            \r

            """)
        #expect(announced?.status == 507)
        #expect(try await put("fits", 10).status == 201)
        me = try Self.object(try await harness.send("GET", "/api/v1/me", token: ann))
        #expect(me["used_bytes"] as? Int64 == used + 10)
        // The used bytes are no part of the tag: mail that comes in does not refuse an administrator's change.
        let tag = try await harness.send("GET", path, token: root)["etag"]
        _ = try await change("{\"quota\":\"none\"}")
        let withoutLimit = try await harness.send("GET", path, token: root)
        #expect(withoutLimit["etag"] != tag)
        #expect(try await put("more", 10).status == 201)
        #expect(try await harness.send("GET", path, token: root)["etag"] == withoutLimit["etag"])
        for wrong in [#"{"quota":"own"}"#, #"{"quota_bytes":-1}"#] {
            #expect(try await change(wrong).status == 400, "\(wrong)")
        }
        #expect(try Self.object(try await change(#"{"quota":"default"}"#))["quota"] as? String == "default")
        try await harness.stop()
    }
}
