internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Changes that bring what changed.
struct ChangedItemTests {
    private func object(_ response: RawHTTPResponse) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? NSDictionary)
    }

    private func page(_ query: String, _ token: String, _ harness: ServerHarness) async throws -> [NSDictionary] {
        let answer = try await harness.send("GET", "/api/v1/changes?limit=500\(query)", token: token)
        #expect(answer.status == 200)
        return try #require(try object(answer)["changes"] as? [NSDictionary])
    }

    /// A changed item has the members that it has at its own address.
    @Test
    func bringsWhatEachAddressGives() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let token = try await harness.token(of: harness.people.ann)
        var kinds: Set<String> = []
        for change in try await page("&items=true", token, harness) {
            let (kind, id) = (try #require(change["type"] as? String), try #require(change["id"] as? Int))
            let own = try await harness.send("GET", "/api/v1/\(kind)s/\(id)", token: token)
            guard change["is_deleted"] as? Bool == false else {
                #expect(change["item"] == nil && own.status == 404, "\(kind) \(id)")
                continue
            }
            let item = try #require(change["item"] as? NSDictionary)
            var expected = try #require(try object(own) as? [String: NSObject])
            if kind == "email" { expected = expected.filter { item[$0.key] != nil } }
            #expect(item == expected as NSDictionary, "\(kind) \(id)")
            kinds.insert(kind)
        }
        #expect(kinds == ["fund", "folder", "file", "email", "note"])
        let bare = try await page("", token, harness) + page("&items=false", token, harness)
        #expect(bare.allSatisfy { $0["item"] == nil })
        #expect(try await harness.send("GET", "/api/v1/changes?items=1", token: token).status == 400)
        _ = things
        try await harness.stop()
    }

    /// Neither an administrator nor another user sees any of it, also of a fund that was given away.
    @Test
    func bringsNothingOfOthers() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let ann = try await harness.token(of: harness.people.ann)
        let bea = try await harness.token(of: harness.people.bea)
        let (fund, beasFund) = (Int(harness.people.fund.id.rawValue), Int(harness.people.otherFund.id.rawValue))
        let root = try await harness.token(of: harness.people.root)
        #expect(try await page("&items=true", root, harness) == [])
        for change in try await page("&items=true", bea, harness) {
            #expect(change["type"] as? String == "fund" && change["id"] as? Int == beasFund)
        }
        let given = try await harness.send(
            "POST", "/api/v1/admin/funds/\(harness.people.fund.id)/give", token: root,
            json: "{\"owner\":\(harness.people.bea.id)}")
        #expect(given.status == 200)
        let left = try await page("&items=true", ann, harness)
        let isOfFund: (NSDictionary) -> Bool = { change in
            guard let item = change["item"] as? NSDictionary else { return false }
            return (item["fund"] ?? item["id"]) as? Int == fund
                && (item["fund"] != nil || change["type"] as? String == "fund")
        }
        #expect(!left.contains(where: isOfFund))
        #expect(try await page("&items=true", bea, harness).contains(where: isOfFund))
        _ = things
        try await harness.stop()
    }
}
