import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Bodies of clients that have not proved who they are.
struct UnprovenBodyTests {
    private func request(_ count: Int) -> Request {
        Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/login"),
            body: RequestBody(buffer: ByteBuffer(repeating: 0x20, count: count)))
    }

    /// All together, and those of one network; what ends makes room, whatever became of it.
    @Test
    func areBounded() async throws {
        var limits = ServerLimits()
        limits.maxUnprovenBytes = 4000
        let bodies = UnprovenBodies(limits: limits)
        func code(_ count: Int, from peer: String) async throws -> String {
            do {
                return "\(try await bodies.read(request(count), from: peer, upTo: 1500) { $0.count })"
            } catch let failure as RequestError {
                return failure.code
            }
        }
        func hold(_ peers: ArraySlice<String>, _ body: () async throws -> Void) async throws {
            guard let peer = peers.first else { return try await body() }
            try await bodies.read(request(1000), from: peer, upTo: 1000) { _ in try await hold(peers.dropFirst(), body)
            }
        }
        for _ in 0..<2 {
            #expect(try await code(1000, from: "192.0.2.1") == "1000")
            #expect(try await code(1001, from: "192.0.2.1") == "busy")
            #expect(try await code(1501, from: "192.0.2.1") == "too-large")
            var codes: [String] = []
            try await hold(["192.0.2.1"]) {
                codes.append(try await code(1, from: "192.0.2.1"))
                codes.append(try await code(700, from: "192.0.2.2"))
            }
            // Two networks of one customer, who has a /48.
            try await hold(["2001:db8:0:1::1"]) { codes.append(try await code(1, from: "2001:db8:0:2::1")) }
            // However many there are, the next one finds room.
            try await hold(["192.0.2.1"]) {
                codes.append(try await code(751, from: "192.0.2.5"))
                codes.append(try await code(750, from: "192.0.2.5"))
            }
            #expect(codes == ["busy", "700", "busy", "busy", "750"])
            try? await hold(["192.0.2.1"]) { throw CancellationError() }
        }
    }

    /// Every route that reads before it knows who sends.
    @Test(arguments: ["/notes", "/login", "/api/v1/session"])
    func areBoundedEverywhere(_ path: String) async throws {
        var options = ServerHarness.Options()
        options.settings.limits.maxUnprovenBytes = 100
        let harness = try await ServerHarness(options)
        let sign = String(repeating: "ab", count: 32)
        let target = path == "/notes" ? "/notes/1/1/\(sign)?ts=\(options.now())&nonce=a" : path
        func answer(_ count: Int) async throws -> RawHTTPResponse {
            try await harness.send(
                "POST", target, fields: ["Content-Type": "application/json"],
                body: Array(repeating: 0x20, count: count))
        }
        let refused = try await answer(26)
        #expect(refused.status == 503)
        #expect(refused["retry-after"] != nil)
        let status = try await answer(25).status
        #expect(status == 400 || status == 401)
        try await harness.stop()
    }

    private func begin(_ harness: ServerHarness, _ target: String, count: Int) async throws -> RawHTTPConnection {
        let connection = try RawHTTPConnection(port: harness.port)
        let head = "Host: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
        await connection.send("POST \(target) HTTP/1.1\r\n\(head)\r\n" + String(repeating: " ", count: count))
        return connection
    }

    /// Signed calls that never end leave room for those who sign in.
    @Test(arguments: ["/login", "/api/v1/session"])
    func doNotKeepLoginsOut(_ path: String) async throws {
        var options = ServerHarness.Options()
        options.settings.limits.maxUnprovenBytes = 400
        let harness = try await ServerHarness(options)
        let notes = "/notes/1/1/\(String(repeating: "ab", count: 32))?ts=\(options.now())&nonce=a"
        func status(_ target: String) async throws -> Int {
            try await harness.send("POST", target, fields: ["Content-Type": "application/json"], body: [0x20]).status
        }
        // One that comes while there is no room for it for a moment is refused.
        var held = [try await begin(harness, notes, count: 100)]
        while try await status(notes) != 503 { held.append(try await begin(harness, notes, count: 100)) }
        #expect([400, 401].contains(try await status(path)))
        for connection in held { connection.finishSending() }
        try await harness.stop()
    }

    /// Nor do forms of pages without a session, nor what stands behind a login in its form.
    @Test
    func formsDoNotKeepLoginsOut() async throws {
        var options = ServerHarness.Options()
        options.settings.limits.maxUnprovenBytes = 400
        options.settings.limits.maxLoginBytes = 50
        // However slow the machine is, what was begun is held to the end.
        options.settings.limits.unprovenBodyTime = .seconds(600)
        options.settings.limits.bodyGrace = .seconds(600)
        options.settings.limits.idleTimeout = .seconds(600)
        let harness = try await ServerHarness(options)
        func begin(_ target: String) async throws -> RawHTTPConnection {
            let connection = try RawHTTPConnection(port: harness.port)
            let head = "Host: a\r\nContent-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n"
            await connection.send(
                "POST \(target) HTTP/1.1\r\n\(head)Content-Length: 1000\r\n\r\n" + String(repeating: "a", count: 90))
            return connection
        }
        let path = "/library/funds/1/notes"
        func form(_ target: String, _ form: String) async throws -> RawHTTPResponse {
            try await harness.send("POST", target, fields: BrowserSession.ownForm, body: Array(form.utf8))
        }
        // It takes nearly all that one network has, and is begun again where a form was there before it.
        var held = [try await begin(path)]
        let long = "theme=dark&back=%2F\(String(repeating: "a", count: 20))"
        while try await form("/account/look", long).status != 503 {
            try #require(held.count < 100, "the room of forms is never taken")
            held.append(try await begin(path))
        }
        #expect(await (try await begin("/sign-in")).response()?.status == 503)
        #expect(try await form("/sign-in", "username=x&password=y").status == 401)
        for connection in held { connection.finishSending() }
        try await harness.stop()
    }

    /// Also those that came fast at first, for which others would have to wait long.
    @Test(arguments: ["/notes", "/login", "/api/v1/session"])
    func endInTime(_ path: String) async throws {
        var options = ServerHarness.Options()
        options.settings.limits.unprovenBodyTime = .milliseconds(200)
        options.settings.limits.bodyGrace = .seconds(600)
        options.settings.limits.idleTimeout = .seconds(600)
        let harness = try await ServerHarness(options)
        let sign = String(repeating: "ab", count: 32)
        let target = path == "/notes" ? "/notes/1/1/\(sign)?ts=\(options.now())&nonce=a" : path
        #expect(try await begin(harness, target, count: 999).isClosed(within: .seconds(60)))
        try await harness.stop()
    }

    /// A login is a name and a password.
    @Test(arguments: ["/login", "/api/v1/session"])
    func ofLoginsAreSmall(_ path: String) async throws {
        let harness = try await ServerHarness()
        let body = [UInt8](repeating: 0x20, count: 20_000)
        #expect(
            try await harness.send("POST", path, fields: ["Content-Type": "application/json"], body: body).status == 413
        )
        try await harness.stop()
    }
}
