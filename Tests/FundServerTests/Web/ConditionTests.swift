internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Changes that depend on what the client knows (RFC 9110 §13.1), and changes of different members at the same moment.
struct ConditionTests {
    /// A rename and a move that meet are both made. They were not: the place was looked up before the transaction.
    @Test(arguments: ["files", "folders"])
    func aRenameDoesNotUndoAMove(_ kind: String) async throws {
        let harness = try await ServerHarness()
        let (store, ann) = (harness.store, harness.people.ann.id)
        let token = try await harness.token(of: harness.people.ann)
        let top = LibraryPlace(fund: harness.people.fund.id)
        let folders = [
            try await store.library.addFolder("one", in: top, of: ann).id,
            try await store.library.addFolder("two", in: top, of: ann).id,
        ]
        let id =
            kind == "folders"
            ? try await store.library.addFolder("it", in: top, of: ann).id.rawValue
            : try await harness.store.library.addFile(
                try upload("x", to: store), at: FileTarget("it", in: top, ifTaken: .refuse), of: ann
            ).id.rawValue
        let target = "/api/v1/\(kind)/\(id)"
        for round in 0..<60 {
            let folder = folders[round % 2]
            async let renamed = harness.send("PATCH", target, token: token, json: #"{"name":"it \#(round)"}"#)
            async let moved = harness.send("PATCH", target, token: token, json: #"{"folder":\#(folder)}"#)
            #expect(try await [renamed.status, moved.status] == [200, 200])
            let now = try json(try await harness.send("GET", target, token: token))
            #expect(now["name"] as? String == "it \(round)")
            #expect(now[kind == "folders" ? "parent" : "folder"] as? Int64 == folder.rawValue, "round \(round)")
        }
        try await harness.stop()
    }

    /// Every route that changes something refuses a condition that does not hold: by the thing's own tag, or because
    /// what it changes has none. Nothing is changed.
    @Test
    func everyChangeHeedsConditions() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let (ann, root) = (
            try await harness.token(of: harness.people.ann), try await harness.token(of: harness.people.root)
        )
        let counter = try await harness.store.library.latestChanges()
        for row in AccessMatrixTests.rows where row.method != "GET" {
            for field in [["If-Match": "\"x\""], ["If-Match": "W/\"x\", \"y\""]] {
                var fields = field
                fields["Content-Type"] = row.body == "bytes" ? "text/plain" : "application/json"
                let response = try await harness.send(
                    row.method, "/api" + things.fill(row.path) + row.query,
                    token: row.owner == 403 && row.administrator != 403 ? root : ann, fields: fields,
                    body: row.body.map { Array(things.fill($0).utf8) })
                #expect(response.status == 412, "\(row.testDescription): \(response.text.prefix(200))")
            }
        }
        #expect(try await harness.store.library.latestChanges() == counter)
        try await harness.stop()
    }

    /// The tag that `GET` gives is the one that a change asks for, and it is another one after each change.
    @Test
    func tagsFollowTheJSON() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let (ann, root) = (
            try await harness.token(of: harness.people.ann), try await harness.token(of: harness.people.root)
        )
        let changes = [
            ("/v1/funds/{fund}", "PATCH", #"{"aliases":["F"]}"#), ("/v1/folders/{folder}", "PATCH", #"{"name":"n"}"#),
            ("/v1/files/{file}", "PATCH", #"{"name":"n.pdf"}"#), ("/v1/files/{file}", "PATCH", #"{"folder":{folder}}"#),
            ("/v1/notes/{note}", "PUT", #"{"title":"t","content":"d"}"#),
            ("/v1/emails/{email}", "PATCH", #"{"fund":{second}}"#),
            ("/v1/admin/users/{user}", "PATCH", #"{"address":"more@example.com"}"#),
        ]
        for (path, method, body) in changes {
            let (target, token) = ("/api" + things.fill(path), path.contains("admin") ? root : ann)
            func change(_ fields: [String: String]) async throws -> RawHTTPResponse {
                var fields = fields
                fields["Content-Type"] = "application/json"
                return try await harness.send(
                    method, target, token: token, fields: fields, body: Array(things.fill(body).utf8))
            }
            func get(_ fields: [String: String] = [:]) async throws -> RawHTTPResponse {
                try await harness.send("GET", target, token: token, fields: fields)
            }
            let tag = try #require(try await get()["etag"], "\(path)")
            #expect(try await get(["If-None-Match": tag]).status == 304)
            #expect(try await get(["If-Match": "\"x\""]).status == 412)
            #expect(try await change(["If-None-Match": "*"]).status == 412)
            #expect(try await get()["etag"] == tag)
            let changed = try await change(["If-Match": "\"x\", \(tag)"])
            #expect(changed.status == 200, "\(path) \(body): \(changed.text)")
            let next = try #require(try await get()["etag"])
            #expect(next != tag, "\(path) \(body)")
            if !path.contains("emails") { #expect(changed["etag"] == next) }
            #expect(try await change(["If-Match": tag]).status == 412)
            #expect(try await change(["If-Match": "*"]).status == 200)
        }
        try await harness.stop()
    }

    /// The bytes are another resource: a rename changes the tag of the JSON, not theirs.
    @Test
    func theContentHasATagOfItsOwn() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let token = try await harness.token(of: harness.people.ann)
        let target = "/api" + things.fill("/v1/files/{file}")
        func tags() async throws -> (json: String?, content: String?) {
            (
                try await harness.send("GET", target, token: token)["etag"],
                try await harness.send("GET", target + "/content", token: token)["etag"]
            )
        }
        let before = try await tags()
        #expect(before.json != before.content)
        #expect(try await harness.send("PATCH", target, token: token, json: #"{"name":"new"}"#).status == 200)
        let after = try await tags()
        #expect(after.json != before.json && after.content == before.content)
        let content = try #require(after.content)
        #expect(
            try await harness.send("DELETE", target, token: token, fields: ["If-Match": content]).status == 412)
        let date = ["If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"]
        #expect(try await harness.send("DELETE", target, token: token, fields: date).status == 412)
        let tag = ["If-Match": try #require(after.json)]
        #expect(try await harness.send("DELETE", target, token: token, fields: tag).status == 204)
        try await harness.stop()
    }

    /// One of two who know the same state wins, whichever API they come through.
    @Test
    func conditionsHoldAcrossAPIs() async throws {
        let harness = try await DAVHarness()
        let store = harness.store
        let token = try await harness.server.token(of: harness.ann)
        let fund = try #require(try await store.library.funds(of: harness.ann.id).first).id
        for (round, method) in (0..<24).map({ ($0, ["DELETE", "MOVE"][$0 % 2]) }) {
            let name = "file\(round)"
            let file = try await store.library.addFile(
                try upload("old", to: store), at: FileTarget(name, in: LibraryPlace(fund: fund), ifTaken: .refuse),
                of: harness.ann.id)
            let tag = "\"\(file.digest.hex)\""
            async let removed = harness.status(
                method, "Fund1/\(name)", ["If-Match": tag, "Destination": "/dav/Fund1/moved\(round)"])
            async let written = harness.server.send(
                "PUT", "/api/v1/files/\(file.id)/content", token: token,
                fields: ["If-Match": tag, "Content-Type": "text/plain"], body: Array("new".utf8))
            let (first, second) = (try await removed, try await written.status)
            let isThere = (try? await store.library.file(file.id, of: harness.ann.id))?.digest == .of(Array("new".utf8))
            #expect([201, 204].contains(first) || first == 412, "\(method)")
            if [201, 204].contains(first), method == "DELETE" { #expect([404, 409, 412].contains(second)) }
            // A move leaves the content as it is, so both may win; but what was written is there.
            if second == 200 { #expect(isThere && (method == "MOVE" || first == 412)) }
        }
        try await harness.server.stop()
    }

    private func upload(_ text: String, to store: FundStore) throws -> StagedUpload {
        let upload = try store.library.makeUpload(named: "a", announcing: nil)
        try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
        return try upload.finish(contentType: "text/plain")
    }

    private func json(_ response: RawHTTPResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }
}
