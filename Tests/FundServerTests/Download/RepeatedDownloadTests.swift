import FundHTTP
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Downloads of contents that were sent before, whose access and place are known from the caches of ARCHITECTURE.md.
struct RepeatedDownloadTests {
    private struct Asked {
        let harness: ServerHarness
        let token: String
        let attachments: [AttachmentEntry]

        init() async throws {
            harness = try await ServerHarness()
            let people = harness.people
            token = try await harness.token(of: people.ann)
            attachments = try await harness.store.library.email(people.email, of: people.ann.id).attachments
            for index in 0..<3 { #expect(try await get(index).status == 200) }
        }

        func path(_ index: Int) -> String { "/api/v1/attachments/\(attachments[index].id)/content" }

        func get(
            _ index: Int, token: String? = nil, path: String? = nil
        ) async throws -> RawHTTPResponse {
            try await harness.send("GET", path ?? self.path(index), token: token ?? self.token)
        }
    }

    /// A file that was sent a moment ago is refused as soon as it must be.
    @Test func obeyTheSameRules() async throws {
        let asked = try await Asked()
        let (harness, people) = (asked.harness, asked.harness.people)
        let other = try await harness.token(of: people.bea)
        #expect(try await asked.get(0, token: other).status == 404)
        #expect(try await asked.get(0, token: "x").status == 401)
        #expect(try await harness.send("GET", asked.path(0)).status == 401)
        #expect(try await asked.get(0, path: asked.path(0) + "?disposition=x").status == 400)
        #expect(try await asked.get(0, path: asked.path(0).replacing("/v1/", with: "//v1/")).status == 404)
        #expect(try await asked.get(0).status == 200)
        try await harness.store.administration.setDisabled(true, user: people.ann.id, actor: "test")
        #expect(try await asked.get(0).status == 401)
        try await harness.store.administration.setDisabled(false, user: people.ann.id, actor: "test")
        let again = try await harness.token(of: people.ann)
        #expect(try await asked.get(0, token: again).status == 200)
        #expect(try await asked.get(0, token: again).status == 200)
        try await harness.stop()
    }

    /// A file with other bytes is another content.
    @Test func giveWhatAFileIsNow() async throws {
        let asked = try await Asked()
        let harness = asked.harness
        let path = "/api/v1/funds/\(harness.people.fund.id)/files?name=a.txt"
        let text = ["Content-Type": "text/plain"]
        let place = LibraryPlace(fund: harness.people.fund.id)
        func addressOfFile() async throws -> String {
            for case .file(let file) in try await harness.store.library.children(of: place, of: harness.people.ann.id)
            where file.name == "a.txt" { return "/api/v1/files/\(file.id)/content" }
            throw ServerFailure("no file")
        }
        #expect(
            try await harness.send("POST", path, token: asked.token, fields: text, body: Array("old".utf8)).status
                == 201)
        let address = try await addressOfFile()
        for _ in 0..<3 { #expect(try await asked.get(0, path: address).text == "old") }
        #expect(
            try await harness.send("PUT", address, token: asked.token, fields: text, body: Array("new".utf8)).status
                < 300)
        for _ in 0..<3 { #expect(try await asked.get(0, path: address).text == "new") }
        try await harness.stop()
    }

    /// Requests that come one after the other on a connection, in one packet and in several.
    @Test(arguments: [1000, 7]) func keepTheirOrder(_ packetBytes: Int) async throws {
        let asked = try await Asked()
        func request(_ path: String) -> String {
            "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(asked.token)\r\n\r\n"
        }
        let connection = try RawHTTPConnection(port: asked.harness.port)
        let paths = [asked.path(0), "/healthz", asked.path(0), asked.path(2), asked.path(1), "/healthz", asked.path(1)]
        var rest = Array(paths.map(request).joined().utf8)[...]
        while !rest.isEmpty {
            await connection.send(Array(rest.prefix(packetBytes)))
            rest = rest.dropFirst(packetBytes)
        }
        var bodies: [[UInt8]] = []
        for _ in paths { bodies.append(try #require(await connection.response()).body) }
        let parts = asked.harness.people.parts.map(\.bytes)
        #expect(bodies[0] == parts[0] && bodies[2] == parts[0])
        #expect(bodies[3] == parts[2])
        #expect(bodies[4] == parts[1] && bodies[6] == parts[1])
        #expect(bodies[1] == bodies[5])
        #expect(asked.harness.metrics.connections.requestsInFlight == 0)
        try await asked.harness.stop()
    }

    /// The responses that a client asks for and does not read are bounded.
    @Test func holdLittleForAClientThatReadsNothing() async throws {
        let asked = try await Asked()
        let connections = asked.harness.metrics.connections
        let connection = try RawHTTPConnection(port: asked.harness.port)
        let request =
            "GET \(asked.path(2)) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(asked.token)\r\n"
            + "Range: bytes=0-60000\r\n\r\n"
        Task { for _ in 0..<2000 { await connection.send(request) } }
        // The server has stopped reading when what it holds is the same as before, time and again.
        var (held, looks) = (0, 0)
        try await eventually {
            looks = connections.unsentBytes > 0 && connections.unsentBytes == held ? looks + 1 : 0
            held = connections.unsentBytes
            return looks == 50
        }
        #expect(connections.unsentBytes < 4 * 1024 * 1024)
        // One read from the socket holds fewer than that.
        #expect(connections.requestsInFlight < 1000)
        for _ in 0..<2000 {
            let response = try #require(await connection.response())
            #expect(response.status == 206 && response.body.count == 60_001)
        }
        try await asked.harness.stop()
    }
}
