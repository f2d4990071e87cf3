import FundHTTP
import TestSupport
import Testing

@testable import FundServer

/// Bodies of users that are read whole.
struct UserBodyTests {
    /// A user has a quarter of the room, for JSON and for forms, and gets it back.
    @Test
    func areBounded() async throws {
        var options = ServerHarness.Options()
        options.settings.limits.maxUserBytes = 4000
        let harness = try await ServerHarness(options)
        let token = try await harness.token(of: harness.people.ann)
        let ann = try await BrowserSession(harness.people.ann, harness)
        for _ in 0..<3 {
            let json = "{\"name\":\"x\"}" + String(repeating: " ", count: 989)
            let refused = try await harness.send("POST", "/api/v1/contacts", token: token, json: json)
            #expect(refused.status == 503 && refused["retry-after"] != nil)
            let taken = try await harness.send(
                "POST", "/api/v1/contacts", token: token, json: String(json.dropLast()))
            #expect(taken.status == 201)
            let form = "address=" + String(repeating: "x", count: 1000)
            #expect(try await ann.post("/library/news/feeds", form, harness).status == 503)
            #expect(try await ann.post("/library/news/feeds", "address=ftp%3A%2F%2Fx", harness).status == 422)
        }
        try await harness.stop()
    }

    /// While a file of a user comes, they can import no other; others can.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("news/opml", "<opml><body><outline xmlUrl='https://a.example/feed'/></body></opml>"),
            ("contacts/import", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Dan\r\nEND:VCARD\r\n"),
        ])
    func importsOneFileOfAUserAtATime(route: String, file: String) async throws {
        let harness = try await ServerHarness()
        let ann = try await harness.token(of: harness.people.ann)
        let bea = try await harness.token(of: harness.people.bea)
        func begun() async throws -> RawHTTPConnection {
            let connection = try RawHTTPConnection(port: harness.port)
            await connection.send(
                "POST /api/v1/\(route) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(ann)\r\n"
                    + "Content-Length: \(file.utf8.count)\r\n\r\n")
            return connection
        }
        func status(_ token: String) async throws -> Int {
            try await harness.send("POST", "/api/v1/\(route)", token: token, body: Array(file.utf8)).status
        }
        var first = try await begun()
        // It may reach the route after some of these, and is refused where it does so beside one.
        while try await status(ann) != 503 {
            if await first.hasInput(within: .zero) { first = try await begun() }
        }
        #expect(try await status(bea) == 200)
        #expect(try await status(ann) == 503)
        await first.send(file)
        #expect(await first.response()?.status == 200)
        #expect(try await status(ann) == 200)
        try await harness.stop()
    }
}
