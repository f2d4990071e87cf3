import Ingest
import TestSupport
import Testing

@testable import FundServer

/// What a client can do to a connection (facts.md, "HTTP side").
struct ConnectionTests {
    private func trial(_ limits: ServerLimits = ServerLimits(), isBehindProxy: Bool = false) async throws -> ServerTrial
    {
        var options = ServerTrial.Options()
        options.settings.limits = limits
        options.settings.isBehindProxy = isBehindProxy
        options.faces = [EchoFace()]
        return try await ServerTrial(options)
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
        let trial = try await trial()
        let connection = try RawHTTPConnection(port: trial.port)
        await connection.send(request + "GET /peer HTTP/1.1\r\nHost: smuggled\r\n\r\n")
        let response = try #require(await connection.response())
        #expect(response.status == 400)
        #expect(await connection.everything(within: .seconds(30)).isEmpty)
        #expect(await connection.isClosed(within: .seconds(30)))
        try await trial.stop()
    }

    /// In whatever words the client says that this request is its last.
    @Test(arguments: ["close", "Close", "foo, CLOSE", "keep-alive,close"])
    func closesWhenAskedTo(_ option: String) async throws {
        let trial = try await trial()
        let connection = try RawHTTPConnection(port: trial.port)
        await connection.send("GET /peer HTTP/1.1\r\nHost: a\r\nConnection: \(option)\r\n\r\n")
        #expect(await connection.response()?.status == 200)
        #expect(await connection.isClosed(within: .seconds(30)))
        try await trial.stop()
    }

    /// RFC 9112 §3.2.
    @Test
    func refusesTwoHosts() async throws {
        let trial = try await trial()
        #expect(try await trial.raw("GET /peer HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")?.status == 400)
        try await trial.stop()
    }

    @Test
    func boundsTheHeader() async throws {
        let trial = try await trial()
        let many = (0..<100).map { "X-\($0): y\r\n" }.joined()
        #expect(try await trial.raw("GET /peer HTTP/1.1\r\nHost: a\r\n\(many)\r\n")?.status == 400)
        let few = (0..<98).map { "X-\($0): y\r\n" }.joined()
        #expect(try await trial.raw("GET /peer HTTP/1.1\r\nHost: a\r\n\(few)\r\n")?.status == 200)
        let large = String(repeating: "y", count: 33 * 1024)
        #expect(try await trial.raw("GET /peer HTTP/1.1\r\nHost: a\r\nX: \(large)\r\n\r\n")?.status == 400)
        try await trial.stop()
    }

    @Test
    func boundsTheBody() async throws {
        let trial = try await trial()
        let fits = String(repeating: "y", count: 1024)
        #expect(
            try await trial.raw("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 1024\r\n\r\n\(fits)")?.text == "1024"
        )
        let connection = try RawHTTPConnection(port: trial.port)
        await connection.send("POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        await connection.send("400\r\n\(fits)\r\n1\r\ny\r\n")
        let response = try #require(await connection.response())
        #expect(response.status == 413)
        #expect(response["content-type"] == "application/problem+json")
        #expect(await connection.isClosed(within: .seconds(30)))
        try await trial.stop()
    }

    /// One byte a second: the deadline of the header, then that of the body.
    @Test(arguments: ["GET /peer HT", "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n"])
    func cutsOffSlowClients(_ start: String) async throws {
        var limits = ServerLimits()
        limits.idleTimeout = .seconds(2)
        limits.bodyGrace = .seconds(2)
        let trial = try await trial(limits)
        let connection = try RawHTTPConnection(port: trial.port)
        await connection.send(start)
        let dripping = Task {
            for _ in 0..<60 {
                guard await connection.send("y") else { return }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        #expect(await connection.isClosed(within: .seconds(25)))
        dripping.cancel()
        try await trial.stop()
    }

    /// A client that asks for 64 MiB and takes nothing.
    @Test
    func cutsOffClientsThatTakeNothing() async throws {
        var limits = ServerLimits()
        limits.sendStall = .seconds(2)
        let trial = try await trial(limits)
        let connection = try RawHTTPConnection(port: trial.port)
        await connection.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        try await eventually { trial.metrics.openConnections == 1 }
        try await eventually { trial.metrics.openConnections == 0 }
        try await trial.stop()
    }

    /// They cost nothing but their sockets.
    @Test
    func holdsAThousandIdleConnections() async throws {
        HTTPServer.raiseDescriptorLimit()
        var limits = ServerLimits()
        // Longer than a loaded machine takes to connect them all.
        limits.idleTimeout = .seconds(600)
        let trial = try await trial(limits)
        var idle: [RawHTTPConnection] = []
        for _ in 0..<1000 { idle.append(try RawHTTPConnection(port: trial.port)) }
        try await eventually { trial.metrics.openConnections >= 1000 }
        #expect(try await trial.raw("GET /peer HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
        idle.removeAll()
        try await eventually { trial.metrics.openConnections == 0 }
        try await trial.stop()
    }

    /// One too many waits until another goes.
    @Test
    func boundsConnections() async throws {
        var limits = ServerLimits()
        limits.maxConnections = 2
        let trial = try await trial(limits)
        var open: [RawHTTPConnection] = []
        for _ in 0..<2 { open.append(try RawHTTPConnection(port: trial.port)) }
        try await eventually { trial.metrics.openConnections == 2 }
        let third = try RawHTTPConnection(port: trial.port)
        await third.send("GET /peer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await third.response(within: .seconds(1)) == nil)
        open.removeLast()
        #expect(await third.response()?.status == 200)
        try await trial.stop()
    }

    @Test
    func answersExpectations() async throws {
        let trial = try await trial()
        let connection = try RawHTTPConnection(port: trial.port)
        await connection.send("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(await connection.response()?.status == 100)
        await connection.send("abc")
        #expect(await connection.response()?.text == "3")
        try await trial.stop()
    }

    /// What is under way ends whole, then the connection closes.
    @Test
    func finishesWhatIsUnderWay() async throws {
        let trial = try await trial()
        let connection = try RawHTTPConnection(port: trial.port)
        let idle = try RawHTTPConnection(port: trial.port)
        await connection.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        try await eventually { trial.metrics.openConnections == 2 }
        let stopping = Task { try await trial.stop() }
        #expect(await connection.response()?.text == "done")
        #expect(await connection.isClosed(within: .seconds(30)))
        #expect(await idle.isClosed(within: .seconds(30)))
        try await stopping.value
    }

    @Test
    func believesOnlyAProxyThatIsTrusted() async throws {
        let request = """
            GET /peer HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.9, 192.0.2.7\r\nX-Forwarded-Proto: https\r\n\r\n
            """
        let direct = try await trial()
        #expect(try await direct.raw(request)?.text == "127.0.0.1 false true")
        try await direct.stop()
        let behind = try await trial(isBehindProxy: true)
        #expect(try await behind.raw(request)?.text == "192.0.2.7 true true")
        try await behind.stop()
    }
}

/// Waits for something that happens soon; throws when it does not.
func eventually(_ condition: () async throws -> Bool) async throws {
    guard try await becomesTrue(condition) else { throw ServerFailure("it did not happen") }
}
