internal import Crypto
internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// A client that was written from the API's description alone, with curl and openssl: see client.sh.
@Suite(.startsPrograms) struct MobileClientTests {
    private let session = "/tmp/\(DiskDirectory.uniqueName(prefix: "mobile-session"))"

    private func client(_ words: String...) async throws -> (status: Int32, json: [String: Any]) {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("client.sh")
        var program = BuiltProgram()
        program.path = script.path
        let result = try await program.run([session] + words)
        let json = try? JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return (result.status, json as? [String: Any] ?? [:])
    }

    @Test func signsInListsDownloadsAndAddsANote() async throws {
        let harness = try await MobileHarness(clock: TestClock(running: ()))
        defer { for name in [session, session + ".pdf"] { try? FileManager.default.removeItem(atPath: name) } }
        #expect(try await client("login", harness.baseURL, "ann@example.com", "not this one").status == 1)
        #expect(try await client("login", harness.baseURL, "ann@example.com", AccountHarness.password).status == 0)

        let funds = try #require(try await client("funds").json["funds"] as? [[String: Any]])
        #expect(funds.map { $0["name"] as? String } == ["Fund1"])
        let fund = "\(try #require(funds[0]["id"] as? Int64))"
        let emails = try #require(try await client("emails", fund).json["emails"] as? [[String: Any]])
        let id = "\(try #require(emails[0]["id"] as? Int64))"
        let email = try #require(try await client("email", fund, id).json["email"] as? [String: Any])
        let attachments = try #require(email["attachments"] as? [[String: Any]])
        #expect(try await client("get", "\(attachments[0]["id"] ?? 0)", session + ".pdf").status == 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: session + ".pdf"))
        #expect(SHA256.hash(data: bytes).hex == attachments[0]["sha256"] as? String)
        #expect(Array(bytes) == MobileHarness.report.bytes)

        let note = try #require(
            try await client("add-note", fund, "Call Bob", "50 % & more: 基金").json["note"] as? [String: Any])
        let noteID = "\(try #require(note["id"] as? Int64))"
        let date = "\(try #require(note["date"] as? Int64))"
        #expect(try await client("change-note", fund, noteID, "Call Bob", "done", date).status == 0)
        #expect(try await client("change-note", fund, noteID, "Call Bob", "late", date).status == 1)
        let notes = try #require(try await client("notes", fund).json["notes"] as? [[String: Any]])
        #expect(notes.map { $0["content"] as? String } == ["done"])
        #expect(try await client("delete-note", fund, noteID).status == 0)
        #expect(try await client("notes", fund, "0").json["deleted"] as? [Int64] == [try #require(Int64(noteID))])

        #expect(try await client("add-fund", "Zweiter Fonds").status == 0)
        #expect(try await client("rename-fund", fund, "First").status == 0)
        #expect(try await client("delete-fund", fund).status == 0)
        #expect(try await client("delete-fund", fund).status == 1)
        let left = try #require(try await client("funds").json["funds"] as? [[String: Any]])
        #expect(left.map { $0["name"] as? String } == ["Zweiter Fonds"])
    }
}
