import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Connections with clients that break rules, and with those that keep them.
struct ConnectionTests {
    private func harness(
        _ limits: ServerLimits = ServerLimits(), isBehindProxy: Bool = false, echo: EchoInterface = EchoInterface()
    ) async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.settings.limits = limits
        options.settings.isBehindProxy = isBehindProxy
        options.interfaces = [echo]
        return try await ServerHarness(options)
    }

    /// Requests that two readers could understand differently: refused, and nothing after them is read.
    @Test(arguments: [
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd",
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4, 4\r\n\r\nabcd",
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\nabcd",
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: -4\r\n\r\nabcd",
        "POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity, chunked, identity\r\n\r\n0\r\n\r\n",
        "POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
        "POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        "POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n\r\n",
        "GET /peer HTTP/1.1\nHost: a\n\n",
        "GET /peer HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
        "GET /peer HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n",
        "GET /peer HTTP/1.1\r\nHost: a\r\nX\u{0}: b\r\n\r\n",
        "GET /peer HTTP/1.1\r\nHost: a\r\nX: b\u{0}\r\n\r\n",
        "GET /peer HTTP/9.9\r\nHost: a\r\n\r\n",
        "GET /pe er HTTP/1.1\r\nHost: a\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
    ])
    func refusesAndCloses(_ request: String) async throws {
        let harness = try await harness()
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(request + "GET /peer HTTP/1.1\r\nHost: smuggled\r\n\r\n")
        let response = try #require(await connection.response())
        #expect(response.status == 400)
        #expect(await connection.everything(within: .seconds(30)).isEmpty)
        #expect(await connection.isClosed(within: .seconds(30)))
        try await harness.stop()
    }

    /// In whatever words the client says that this request is its last.
    @Test(arguments: ["close", "Close", "foo, CLOSE", "keep-alive,close"])
    func closesWhenAskedTo(_ option: String) async throws {
        let harness = try await harness()
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send("GET /peer HTTP/1.1\r\nHost: a\r\nConnection: \(option)\r\n\r\n")
        #expect(await connection.response()?.status == 200)
        #expect(await connection.isClosed(within: .seconds(30)))
        try await harness.stop()
    }

    /// RFC 9112 §3.2.
    @Test
    func refusesTwoHosts() async throws {
        let harness = try await harness()
        #expect(try await harness.raw("GET /peer HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")?.status == 400)
        try await harness.stop()
    }

    @Test
    func boundsTheHeader() async throws {
        let harness = try await harness()
        let many = (0..<100).map { "X-\($0): y\r\n" }.joined()
        #expect(try await harness.raw("GET /peer HTTP/1.1\r\nHost: a\r\n\(many)\r\n")?.status == 400)
        let few = (0..<98).map { "X-\($0): y\r\n" }.joined()
        #expect(try await harness.raw("GET /peer HTTP/1.1\r\nHost: a\r\n\(few)\r\n")?.status == 200)
        let large = String(repeating: "y", count: 33 * 1024)
        #expect(try await harness.raw("GET /peer HTTP/1.1\r\nHost: a\r\nX: \(large)\r\n\r\n")?.status == 400)
        try await harness.stop()
    }

    @Test
    func boundsTheBody() async throws {
        let harness = try await harness()
        let fits = String(repeating: "y", count: 1024)
        #expect(
            try await harness.raw("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 1024\r\n\r\n\(fits)")?.text
                == "1024"
        )
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send("POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        await connection.send("400\r\n\(fits)\r\n1\r\ny\r\n")
        let response = try #require(await connection.response())
        #expect(response.status == 413)
        #expect(response["content-type"] == "application/problem+json")
        #expect(await connection.isClosed(within: .seconds(30)))
        try await harness.stop()
    }

    /// One byte a second: the deadline of the header, then that of the body.
    @Test(arguments: ["GET /peer HT", "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n"])
    func cutsOffSlowClients(_ start: String) async throws {
        var limits = ServerLimits()
        limits.idleTimeout = .seconds(2)
        limits.bodyGrace = .seconds(2)
        let harness = try await harness(limits)
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(start)
        let dripping = Task {
            for _ in 0..<60 {
                guard await connection.send("y") else { return }
                // The pace of the client is what the server is to notice.
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        #expect(await connection.isClosed(within: .seconds(25)))
        dripping.cancel()
        try await harness.stop()
    }

    /// A client that asks for 64 MiB and takes nothing.
    @Test
    func cutsOffClientsThatTakeNothing() async throws {
        var limits = ServerLimits()
        limits.sendStall = .seconds(2)
        let harness = try await harness(limits)
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await connection.response(hasBody: false)?.status == 200)
        try await eventually { harness.metrics.connections.openConnections == 0 }
        try await harness.stop()
    }

    /// They cost nothing but their sockets.
    @Test
    func holdsAThousandIdleConnections() async throws {
        ServingProcess.raiseDescriptorLimit()
        var limits = ServerLimits()
        // Longer than a loaded machine takes to connect them all.
        limits.idleTimeout = .seconds(600)
        let harness = try await harness(limits)
        var idle: [RawHTTPConnection] = []
        for _ in 0..<1000 { idle.append(try RawHTTPConnection(port: harness.port)) }
        try await eventually { harness.metrics.connections.openConnections >= 1000 }
        #expect(try await harness.raw("GET /peer HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
        idle.removeAll()
        try await eventually { harness.metrics.connections.openConnections == 0 }
        try await harness.stop()
    }

    /// One address that has its share of connections gets another one for the oldest that it does not use, or none;
    /// another address does not notice.
    @Test
    func sharesConnections() async throws {
        var limits = ServerLimits()
        limits.maxConnections = 4
        limits.maxConnectionsOfClient = 2
        limits.keptConnections = 0
        let echo = EchoInterface()
        let harness = try await harness(limits, echo: echo)
        let question = "GET /peer HTTP/1.1\r\nHost: a\r\n\r\n"
        let first = try RawHTTPConnection(port: harness.port)
        try await eventually { harness.metrics.connections.openConnections == 1 }
        let second = try RawHTTPConnection(port: harness.port)
        let third = try RawHTTPConnection(port: harness.port)
        await third.send(question)
        #expect(await third.response()?.status == 200)
        #expect(await first.isClosed(within: .seconds(30)))
        for busy in [second, third] { await busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") }
        try await eventually { harness.metrics.connections.requestsInFlight == 2 }
        let fourth = try RawHTTPConnection(port: harness.port)
        #expect(await fourth.isClosed(within: .seconds(60)))
        let other = try RawHTTPConnection(port: harness.port, from: 2)
        await other.send(question)
        #expect(await other.response()?.text.hasPrefix("127.0.0.2 ") == true)
        echo.mayAnswer.raise()
        for busy in [second, third] { #expect(await busy.response()?.text == "done") }
        #expect(harness.metrics.connections.refusalCounts[.clientConnections] == 2)
        try await harness.stop()
    }

    private static let expecting =
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"

    @Test
    func answersExpectations() async throws {
        let harness = try await harness()
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(Self.expecting)
        #expect(await connection.response()?.status == 100)
        await connection.send("abc")
        #expect(await connection.response()?.text == "3")
        // With the body there is nothing to wait for.
        await connection.send(Self.expecting + "abc")
        #expect(await connection.response()?.text == "3")
        try await harness.stop()
    }

    /// RFC 9110 §10.1.1: what is refused is not asked for first, and the client may send its body or not.
    @Test
    func asksForNoBodyThatItRefuses() async throws {
        let harness = try await harness()
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(Self.expecting.replacingOccurrences(of: "/body", with: "/refused"))
        #expect(await connection.response()?.status == 403)
        #expect(await connection.isClosed(within: .seconds(30)))
        try await harness.stop()
    }

    /// An interim answer stands between answers, never within one.
    @Test
    func putsNoInterimAnswerIntoADownload() async throws {
        let harness = try await harness()
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n" + Self.expecting)
        let large = try #require(await connection.response())
        #expect(large.body.count == 64 * 1024 * 1024)
        #expect(large.body == [UInt8](repeating: UInt8(ascii: "a"), count: large.body.count))
        #expect(await connection.response()?.status == 100)
        await connection.send("abc")
        #expect(await connection.response()?.text == "3")
        try await harness.stop()
    }

    /// A body cannot come before its client has taken the answer in front of it.
    @Test
    func waitsForABodyBehindADownload() async throws {
        var limits = ServerLimits()
        limits.bodyGrace = .seconds(4)
        let harness = try await harness(limits)
        let connection = try RawHTTPConnection(port: harness.port)
        let post = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
        await connection.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n" + post)
        // By the end of one that came later, and whose body could have come, the time for a body is over.
        let later = try RawHTTPConnection(port: harness.port)
        await later.send(post)
        #expect(await later.isClosed(within: .seconds(60)))
        #expect(await connection.response()?.body.count == 64 * 1024 * 1024)
        await connection.send("abc")
        #expect(await connection.response()?.text == "3")
        try await harness.stop()
    }

    /// A client that knows neither chunks, interim answers nor hosts (RFC 9112 §2.3); the connection's end is the
    /// body's.
    @Test
    func keepsToHTTP10() async throws {
        let harness = try await harness()
        let chunked = try RawHTTPConnection(port: harness.port)
        await chunked.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await chunked.response(hasBody: false)?["transfer-encoding"] == "chunked")
        let plain = try RawHTTPConnection(port: harness.port)
        await plain.send("GET /stream HTTP/1.0\r\n\r\n")
        let response = try #require(await plain.response())
        #expect(response.status == 200)
        #expect(response["transfer-encoding"] == nil)
        #expect(response.text == "one two")
        let expecting = try RawHTTPConnection(port: harness.port)
        await expecting.send(Self.expecting.replacingOccurrences(of: "/1.1", with: "/1.0"))
        #expect(await expecting.response(within: .milliseconds(500)) == nil)
        await expecting.send("abc")
        #expect(await expecting.response()?.text == "3")
        #expect(await expecting.isClosed(within: .seconds(30)))
        // Behind requests of HTTP/1.1 these are answered as such.
        let mixed = try RawHTTPConnection(port: harness.port)
        await mixed.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\nGET /stream HTTP/1.0\r\n\r\n")
        let both = String(decoding: await mixed.everything(), as: UTF8.self)
        #expect(both.contains("\r\n\r\n4\r\none \r\n3\r\ntwo\r\n0\r\n\r\nHTTP/1.0 200"))
        #expect(both.hasSuffix("\r\n\r\none two"))
        try await harness.stop()
    }

    /// RFC 9112 §3.2, RFC 9110 §4.2.1.
    @Test(arguments: [
        ("Host: a", 200), ("Host: funds.corp.example:8443", 200), ("Host: 192.0.2.1:80", 200),
        ("Host: [::1]:8080", 200),
        ("Host: [2001:db8::1]", 200), ("X: y", 400), ("Host:", 400), ("Host: a b", 400), ("Host: a/b", 400),
        ("Host: u@a", 400), ("Host: a:b", 400), ("Host: a:", 400), ("Host: a:99999", 400), ("Host: a:+80", 400),
        ("Host: :80", 400), ("Host: a,b", 400), ("Host: [::1", 400), ("Host: [x]", 400), ("Host: <a>", 400),
        ("Host: a\r\nHost: a", 400),
    ])
    func checksTheHost(_ field: String, _ status: Int) async throws {
        let harness = try await harness()
        #expect(try await harness.raw("GET /peer HTTP/1.1\r\n\(field)\r\n\r\n")?.status == status)
        try await harness.stop()
    }

    /// Nothing decodes a body, so none that is encoded is taken for what it encodes.
    @Test(arguments: [
        ("Transfer-Encoding: gzip, chunked", "0\r\n\r\n", 501), ("Transfer-Encoding: gzip", "x", 400),
        ("Content-Encoding: gzip\r\nContent-Length: 1", "x", 415),
        ("Content-Encoding: identity\r\nContent-Length: 1", "x", 200),
        ("Transfer-Encoding: Chunked", "1\r\nx\r\n0\r\n\r\n", 200),
    ])
    func refusesCodings(_ fields: String, _ body: String, _ status: Int) async throws {
        let harness = try await harness()
        let response = try await harness.raw("POST /body HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)")
        #expect(response?.status == status)
        try await harness.stop()
    }

    /// Requests that are under way end whole, then the connection closes.
    @Test
    func finishesWhatIsUnderWay() async throws {
        let echo = EchoInterface()
        let harness = try await harness(echo: echo)
        let connection = try RawHTTPConnection(port: harness.port)
        let idle = try RawHTTPConnection(port: harness.port)
        await connection.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        try await eventually {
            harness.metrics.connections.openConnections == 2 && harness.metrics.connections.requestsInFlight == 1
        }
        let stopping = Task { try await harness.stop() }
        #expect(await idle.isClosed(within: .seconds(30)))
        echo.mayAnswer.raise()
        #expect(await connection.response()?.text == "done")
        #expect(await connection.isClosed(within: .seconds(30)))
        try await stopping.value
    }

    @Test
    func believesOnlyAProxyThatIsTrusted() async throws {
        let request = """
            GET /peer HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.9, 192.0.2.7\r\nX-Forwarded-Proto: https\r\n\r\n
            """
        let direct = try await harness()
        #expect(try await direct.raw(request)?.text == "127.0.0.1 false true")
        try await direct.stop()
        let behind = try await harness(isBehindProxy: true)
        #expect(try await behind.raw(request)?.text == "192.0.2.7 true true")
        try await behind.stop()
    }
}
