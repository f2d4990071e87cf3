import FundHTTP
import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Answers that are larger than their questions: room is reserved for them by their size, whatever the method is.
struct AnswerRoomTests {
    /// A user has 128 KiB, and a network 256.
    private static func harness() async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.settings.limits.maxUnsentBytes = 1 << 20
        return try await ServerHarness(options)
    }

    /// Each takes six bytes in markup.
    private static func quotes(_ count: Int) -> String { String(repeating: "%22", count: count) }

    /// A text that comes without a session is not given back unless one of our editors sent it, and then sealed: no
    /// longer by much, whatever it is.
    @Test
    func strangersGetNothingBack() async throws {
        let harness = try await ServerHarness()
        let path = "/library/funds/\(harness.people.fund.id)/notes"
        func send(_ path: String, _ form: String) async throws -> RawHTTPResponse {
            try await harness.send("POST", path, fields: BrowserSession.ownForm, body: Array(form.utf8))
        }
        for writer in ["x", String(repeating: "A", count: 90)] {
            let note = try await send(path, "writer=\(writer)&title=t&content=\(Self.quotes(100_000))")
            #expect(note.status == 303 && note.body.count < 1000)
        }
        let forms = [
            "draft=\(String(repeating: "A", count: 300_000))",
            "draft_kind=new&draft_id=1&draft_content=\(Self.quotes(100_000))",
            "next=%2F\(Self.quotes(9000))", "name=\(Self.quotes(9000))",
        ]
        let plain = try await send("/sign-in", "username=ann&password=x")
        for form in forms {
            let page = try await send("/sign-in", "username=\(Self.quotes(3000))&password=x&\(form)")
            #expect(page.status == 401 && page.body.count <= plain.body.count, "\(form.prefix(20))")
        }
        let ann = try await BrowserSession(harness.people.ann, harness)
        let editor = try await ann.get("/library/funds/\(harness.people.fund.id)/new-note", harness)
        let writer = try #require(editor.text.firstMatch(of: /name="writer" value="([^"]+)"/)).1
        let carried = try await send(path, "writer=\(writer)&title=t&content=\(Self.quotes(100_000))")
        #expect(carried.status == 200 && carried.body.count < plain.body.count + 140_000)
        try await harness.stop()
    }

    /// A conflict shows two notes on one page. It is refused before it is made where the user has no room for it.
    @Test
    func conflictsAreReserved() async throws {
        let harness = try await Self.harness()
        let (library, user) = (harness.store.library, harness.people.ann.id)
        let ann = try await BrowserSession(harness.people.ann, harness)
        for (count, status) in [(10, 409), (40_000, 503)] {
            let text = NoteText(title: "t", content: String(repeating: "\"", count: count))
            let note = try await library.addNote(text, in: harness.people.fund.id, of: user)
            let form = "title=t&content=\(Self.quotes(count))&since=1"
            #expect(try await ann.post("/library/notes/\(note.id)", form, harness).status == status)
            // Also where it is only read.
            #expect(try await ann.get("/library/notes/\(note.id)", harness).status == (status == 409 ? 200 : 503))
        }
        try await eventually { harness.metrics.connections.unsentBytes == 0 }
        try await harness.stop()
    }

    /// A change whose answer has no room is refused before it is made.
    @Test
    func everyAnswerIsCounted() async throws {
        let harness = try await Self.harness()
        let token = try await harness.token(of: harness.people.ann)
        let target = "/api/v1/funds/\(harness.people.fund.id)/notes"
        func post(_ count: Int) async throws -> RawHTTPResponse {
            let content = String(repeating: #"\""#, count: count)
            return try await harness.send(
                "POST", target, token: token, json: #"{"title":"t","content":"\#(content)"}"#)
        }
        #expect(try await post(10).status == 201)
        #expect(try await post(100_000).status == 503)
        let notes = try await harness.store.library.notes(
            in: harness.people.fund.id, since: nil, PageQuery(), of: harness.people.ann.id)
        #expect(notes.notes.count == 1)
        try await eventually { harness.metrics.connections.unsentBytes == 0 }
        try await harness.stop()
    }

    /// A change is confirmed, also where the answer is larger than the room: sent again, it would meet itself.
    @Test
    func whatIsDoneIsTold() async throws {
        let harness = try await Self.harness()
        let (library, user) = (harness.store.library, harness.people.ann.id)
        let token = try await harness.token(of: harness.people.ann)
        let text = NoteText(title: "t", content: String(repeating: "\"", count: 100_000))
        let note = try await library.addNote(text, in: harness.people.fund.id, of: user)
        #expect(try await harness.send("GET", "/api/v1/notes/\(note.id)", token: token).status == 503)
        #expect(try await harness.send("DELETE", "/api/v1/notes/\(note.id)", token: token).status == 204)
        let restored = try await harness.send("POST", "/api/v1/notes/\(note.id)/restore", token: token)
        #expect(restored.status == 200 && restored.body.count > 200_000)
        try await eventually { harness.metrics.connections.unsentBytes == 0 }
        try await harness.stop()
    }
}
