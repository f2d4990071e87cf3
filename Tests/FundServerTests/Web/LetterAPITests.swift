import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Letters that people write, by the web API.
struct LetterAPITests {
    private struct Client {
        let harness: ServerHarness
        let token: String

        init(_ harness: ServerHarness) async throws {
            (self.harness, token) = (harness, try await harness.token(of: harness.people.ann))
        }

        func send(_ body: String) async throws -> RawHTTPResponse {
            try await harness.send("POST", "/api/v1/letters", token: token, json: body)
        }

        func object(_ response: RawHTTPResponse, _ status: Int) throws -> [String: Any] {
            #expect(response.status == status, "\(response.text.prefix(400))")
            return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        }

        func get(_ path: String) async throws -> [String: Any] {
            try object(try await harness.send("GET", "/api/v1/letters" + path, token: token), 200)
        }
    }

    private static func withServer(
        _ change: (inout ServerHarness.Options) -> Void = { _ in }, _ body: (Client, ServerHarness) async throws -> Void
    ) async throws {
        var options = ServerHarness.Options().sendingLetters
        change(&options)
        let harness = try await ServerHarness(options)
        try await body(try await Client(harness), harness)
        try await harness.stop()
    }

    /// A folder goes as a zip file, a note as text, a mail as it came, a file with its bytes.
    @Test func everythingGoesAlong() async throws {
        try await Self.withServer { client, harness in
            let (store, ann, fund) = (harness.store, harness.people.ann.id, harness.people.fund.id)
            let place = LibraryPlace(fund: fund)
            let folder = try await store.library.addFolder("Q3", in: place, of: ann)
            let files = try await store.library.children(of: place, of: ann).compactMap { item -> FileEntry? in
                if case .file(let file) = item { file } else { nil }
            }
            let file = try #require(files.first { $0.name == "report.pdf" })
            _ = try await store.library.move(
                .file(file.id), to: LibraryPlace(fund: fund, folder: folder.id), named: nil, ifTaken: .refuse, of: ann)
            let note = try await store.library.addNote(NoteText(title: "To do", content: "Call Cy"), in: fund, of: ann)
            let body = """
                {"to":["Cy <cy@corp.example>"],"cc":["d@x.org, e@x.org"],"copy":true,"subject":"All","text":"See.",
                "way":"attached","answers":\(harness.people.email),
                "items":[{"type":"folder","id":\(folder.id)},{"type":"note","id":\(note.id)},
                {"type":"email","id":\(harness.people.email)},{"type":"file","id":\(file.id)}]}
                """
            let letter = try client.object(try await client.send(body), 201)
            let attachments = try #require(letter["attachments"] as? [[String: Any]])
            #expect(
                attachments.map { $0["name"] as? String } == [
                    "Q3.zip", "To do.txt", "[Fund1] first.eml", "report.pdf",
                ],
                "\(attachments)")
            #expect(letter["fund"] as? Int64 == fund.rawValue && letter["answered_email"] as? Int64 != nil)
            let recipients = try #require(letter["recipients"] as? [[String: Any]])
            #expect(recipients.map { $0["role"] as? String } == ["to", "cc", "cc", "copy"])
            #expect(recipients.allSatisfy { $0["state"] as? String == "waiting" })
            let id = try #require(letter["id"] as? Int64)
            func content(_ number: Int) async throws -> [UInt8] {
                let path = "/api/v1/letters/\(id)/attachments/\(number)/content"
                let response = try await harness.send("GET", path, token: client.token)
                #expect(response.status == 200, "\(number): \(response.text.prefix(200))")
                return response.body
            }
            #expect(try await content(1).starts(with: Array("PK".utf8)))
            #expect(try await content(2) == Array("To do\n\nCall Cy\n".utf8))
            #expect(try await content(4) == harness.people.parts[0].bytes)
            let raw = try await store.library.rawMessage(of: harness.people.email, of: ann)
            #expect(ContentDigest.of(try await content(3)) == raw.digest)
            // The facts stand at each item.
            let names = ["folder:\(folder.id)", "note:\(note.id)", "email:\(harness.people.email)", "file:\(file.id)"]
            for item in names {
                let found = try #require(try await client.get("?item=\(item)")["letters"] as? [[String: Any]])
                #expect(found.map { $0["id"] as? Int64 } == [id], "\(item)")
            }
            #expect((try await client.get("?fund=\(fund)")["letters"] as? [Any])?.count == 1)
            #expect((try await client.get("?troubled=true")["letters"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func whatIsLargeGoesAsALink() async throws {
        try await Self.withServer {
            $0.letterServer?.letters.maxAttachmentBytes = 1000
        } _: { client, harness in
            let files = try await harness.store.library.children(
                of: LibraryPlace(fund: harness.people.fund.id), of: harness.people.ann.id)
            let large = try #require(
                files.lazy.compactMap { item -> FileEntry? in if case .file(let file) = item { file } else { nil } }
                    .first { $0.size > 1000 })
            func body(_ way: String) -> String {
                """
                {"to":["cy@corp.example"],"subject":"x","text":"x","way":"\(way)",
                "items":[{"type":"file","id":\(large.id)}]}
                """
            }
            let letter = try client.object(try await client.send(body("automatic")), 201)
            #expect(letter["link"] is Int64 && (letter["attachments"] as? [Any])?.isEmpty == true)
            let refused = try client.object(try await client.send(body("attached")), 400)
            #expect((refused["detail"] as? String)?.contains("1000 bytes") == true, "\(refused)")
        }
    }

    @Test func aKeyMakesOneLetter() async throws {
        try await Self.withServer { client, _ in
            let key = String(repeating: "0a", count: 16)
            let body = #"{"to":["cy@corp.example"],"subject":"x","text":"x","key":"\#(key)"}"#
            let first = try client.object(try await client.send(body), 201)
            let second = try client.object(try await client.send(body), 200)
            #expect(first["id"] as? Int64 == second["id"] as? Int64)
            #expect((try await client.get("")["letters"] as? [Any])?.count == 1)
        }
    }

    @Test func lettersThatAreRefused() async throws {
        try await Self.withServer {
            $0.letterServer?.letters.sender = EmailAddress("funds@corp.example")
        } _: { client, _ in
            for (to, words) in [
                ("ann at x", "ann at x"), ("zoë@x.org", "beyond ASCII"), ("a@x.org\\r\\nBcc: b@x.org", "Bcc: b@x.org"),
                ("", "needs a recipient"), ("funds@corp.example", "mailbox of this program"),
            ] {
                let refused = try client.object(
                    try await client.send(#"{"to":["\#(to)"],"subject":"x","text":"x"}"#), 400)
                let detail = refused["detail"] as? String ?? ""
                #expect(detail.contains(words), "\(to): \(detail)")
            }
            for body in [
                #"{"to":["a@x.org"],"subject":"x","text":"x","way":"pigeon"}"#,
                #"{"to":["a@x.org"],"subject":"x","text":"x","items":[{"type":"fund","id":1}]}"#,
                #"{"to":["a@x.org"],"subject":"","text":""}"#,
            ] { #expect(try await client.send(body).status == 400, "\(body)") }
        }
        try await Self.withServer {
            $0.letterServer = nil
        } _: { client, _ in
            let refused = try client.object(
                try await client.send(#"{"to":["a@x.org"],"subject":"x","text":"x"}"#), 409)
            #expect((refused["type"] as? String)?.hasSuffix("no-letters") == true, "\(refused)")
        }
    }
}
