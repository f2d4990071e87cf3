internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// The lists of the web API in pages.
struct ListTests {
    private static let lists: [(path: String, name: String, isAdministrators: Bool)] = [
        ("/v1/funds", "funds", false), ("/v1/funds/{fund}/items", "items", false), ("/v1/trash", "items", false),
        ("/v1/trash?sort=name", "items", false), ("/v1/trash?sort=-size", "items", false),
        ("/v1/funds/{fund}/notes?sort=-title", "notes", false),
        ("/v1/funds/{fund}/notes?sort=created_at", "notes", false), ("/v1/emails?sort=received_at", "emails", false),
        ("/v1/funds/{fund}/items?sort=-modified_at", "items", false), ("/v1/funds/{fund}/notes", "notes", false),
        ("/v1/funds/{fund}/notes?since=0", "notes", false), ("/v1/tokens", "tokens", false),
        ("/v1/emails", "emails", false), ("/v1/search?q=n", "hits", false), ("/v1/received", "messages", false),
        ("/v1/arrivals", "arrivals", false),
        ("/v1/admin/users", "users", true),
        ("/v1/admin/funds", "funds", true), ("/v1/admin/audit", "entries", true),
        ("/v1/admin/misrouted", "messages", true),
    ]

    @Test
    func pagesMakeTheWhole() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        for index in 0..<3 {
            _ = try await harness.store.library.addNote(
                NoteText(title: "n\(index)", content: "c"), in: .init(try #require(Int64(things.fill("{fund}")))),
                of: harness.people.ann.id)
            _ = try await TestPeople.file("kept \(index)", [], in: nil, of: harness.people.ann, harness.store)
        }
        let (ann, root) = (
            try await harness.token(of: harness.people.ann), try await harness.token(of: harness.people.root)
        )
        let bea = try await harness.token(of: harness.people.bea)
        var firstCursors: [String] = []
        for (path, name, isAdministrators) in Self.lists {
            let target = "/api" + things.fill(path)
            let token = isAdministrators ? root : ann
            func page(_ query: String, as token: String) async throws -> RawHTTPResponse {
                try await harness.send("GET", target + (path.contains("?") ? "&" : "?") + query, token: token)
            }
            let whole = try json(try await page("limit=500", as: token))
            let expected = try #require(whole[name] as? [[String: Any]]).compactMap { $0["id"] as? Int64 }
            #expect(whole["next"] is NSNull && expected.count > 1, "\(path)")
            var (found, cursor): ([Int64], String?) = ([], nil)
            repeat {
                let response = try await page("limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""), as: token)
                let part = try json(response)
                let items = try #require(part[name] as? [[String: Any]], "\(path): \(response.text.prefix(200))")
                #expect(items.count <= 1)
                found += items.compactMap { $0["id"] as? Int64 }
                if cursor == nil, let next = part["next"] as? String { firstCursors.append(next) }
                cursor = part["next"] as? String
            } while cursor != nil && found.count <= expected.count
            #expect(found == expected, "\(path)")
            if let total = whole["total"] as? Int { #expect(total == expected.count, "\(path)") }
            for limit in ["0", "501", "x", "-1"] {
                #expect(try await page("limit=\(limit)", as: token).status == 400, "\(path)")
            }
            // A cursor of another user, of another list, or made by the client is refused.
            let own = try #require(firstCursors.last)
            if path == "/v1/funds" { #expect(try await page("cursor=\(own)", as: bea).status == 400) }
            for wrong in [firstCursors[0] == own ? "x" : firstCursors[0], String(own.dropLast()), "s5", "12.5"] {
                #expect(try await page("cursor=\(wrong)", as: token).status == 400, "\(path) \(wrong)")
            }
        }
        try await harness.stop()
    }

    @Test
    func sortsAPlace() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let target = "/api/v1/funds/\(harness.people.fund.id)/items"
        func names(_ sort: String) async throws -> [String] {
            let response = try await harness.send("GET", target + "?sort=\(sort)", token: token)
            return try #require(try json(response)["items"] as? [[String: Any]]).compactMap { $0["name"] as? String }
        }
        let bySize = harness.people.parts.sorted { $0.bytes.count < $1.bytes.count }.map(\.name)
        #expect(try await names("size") == bySize)
        #expect(try await names("-size") == bySize.reversed())
        #expect(try await names("-name") == names("name").reversed())
        for sort in ["", "-", "--size", "id", "size-"] {
            #expect(try await harness.send("GET", target + "?sort=\(sort)", token: token).status == 400, "\(sort)")
        }
        try await harness.stop()
    }

    private func json(_ response: RawHTTPResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }
}
