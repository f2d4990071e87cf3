import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Deleting for good over the web API: bytes and all, only one's own, and once.
struct TrashTests {
    @Test
    func deletesForGood() async throws {
        let harness = try await ServerHarness()
        let (store, ann) = (harness.store, harness.people.ann)
        let (token, others) = (try await harness.token(of: ann), try await harness.token(of: harness.people.bea))
        var ids: [String: FileEntry.ID] = [:]
        for name in ["gone", "kept", "live"] {
            let writer = try store.library.makeUpload(named: name, announcing: nil)
            try Array("the bytes of \(name)".utf8).withUnsafeBytes { try writer.append($0) }
            let target = FileTarget(name, in: LibraryPlace(fund: harness.people.fund.id), ifTaken: .refuse)
            let upload = try writer.finish(contentType: "text/plain")
            ids[name] = try await store.library.addFile(upload, at: target, of: ann.id).id
        }
        func send(_ method: String, _ path: String, as token: String) async throws -> RawHTTPResponse {
            try await harness.send(method, "/api/v1\(path)", token: token)
        }
        func trash(_ name: String) -> String { "/trash/file/\(ids[name]!)" }
        for name in ["gone", "kept"] {
            #expect(try await send("DELETE", "/files/\(ids[name]!)", as: token).status == 204)
        }
        // Neither another's, nor what is not deleted, nor what there is not.
        for (path, token) in [
            (trash("gone"), others), (trash("live"), token), ("/trash/file/99999", token), ("/trash/x/1", token),
        ] { #expect(try await send("DELETE", path, as: token).status == 404, "\(path)") }
        #expect(try await send("DELETE", trash("gone"), as: token).status == 204)
        #expect(try await send("DELETE", trash("gone"), as: token).status == 404)
        #expect(try await send("POST", "/files/\(ids["gone"]!)/restore", as: token).status == 404)
        #expect(try !store.logHolds("the bytes of gone".utf8))
        #expect(try store.logHolds("the bytes of kept".utf8))
        #expect(try await store.library.deletedItems(of: ann.id).map(\.itemID) == [.file(ids["kept"]!)])
        // The other user's trash is theirs.
        #expect(try await send("DELETE", "/trash", as: others).text.contains("\"items\":0"))
        #expect(try await send("DELETE", "/trash", as: token).text.contains("\"items\":1"))
        #expect(try await store.library.deletedItems(of: ann.id).isEmpty)
        #expect(try await send("GET", "/files/\(ids["live"]!)/content", as: token).text == "the bytes of live")
        #expect(try await store.maintenance.verify().isSound)
        try await harness.stop()
    }
}
