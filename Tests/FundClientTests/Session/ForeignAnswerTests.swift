import AsyncHTTPClient
import Foundation
import HTTPTypes
import Testing

@testable import FundClient

/// Answers in a server's place: the page of a network that wants people to sign in, a proxy, another server.
@Suite struct ForeignAnswerTests {
    /// Gives one answer to everything.
    private struct Portal: HTTPTransport {
        var status: Int
        var fields: HTTPFields
        var body: [UInt8]

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let left = Countdown(1)
            let body = request.head.method == .head ? [] : body
            return TransportResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields),
                body: ResponseBody { { !body.isEmpty && left.next() ? body : nil } })
        }

        func shutdown() async {}
    }

    private static let page = Array("<!DOCTYPE html><title>Guests</title>".utf8)

    private struct Answer: Sendable {
        var status: Int
        var type: String?
        var body = ForeignAnswerTests.page
        var location: String?
        /// A part of what is said.
        var words: String
    }

    private static let answers = [
        Answer(status: 200, type: "text/html", words: "a page in place of an answer"),
        Answer(status: 200, type: "Text/HTML; charset=utf-8", words: "a page in place of an answer"),
        Answer(status: 200, type: nil, body: [], words: "in place of an answer"),
        Answer(status: 302, type: nil, body: [], location: "http://portal.example/x", words: "http://portal.example/x"),
        Answer(status: 301, type: nil, location: "https://new.example/", words: "it leads to https://new.example/"),
        Answer(status: 307, type: nil, words: "status 307"),
        Answer(status: 404, type: "text/html", words: "status 404"),
        Answer(status: 410, type: "text/html", words: "status 410"),
        Answer(status: 401, type: "text/html", words: "status 401"),
        Answer(status: 403, type: nil, words: "status 403"),
        Answer(status: 407, type: nil, words: "status 407"), Answer(status: 511, type: nil, words: "status 511"),
    ]

    private func session(_ answer: Answer) async throws -> Session {
        let account = Account(
            server: try address("http://funds.example:8080"), email: "ann@example.com", user: UserID(1))
        let store = MemoryStore()
        try await store.save(
            Credentials(web: .init("token", expiresAt: nil), mobile: nil), of: account)
        var fields: HTTPFields = [:]
        if let type = answer.type { fields[.contentType] = type }
        if let location = answer.location { fields[.location] = location }
        let portal = Portal(status: answer.status, fields: fields, body: answer.body)
        return Session(account: account, credentials: store, transport: portal, retries: .never)
    }

    @Test(arguments: answers) private func isSaidAndTriedAgain(_ answer: Answer) async throws {
        let session = try await session(answer)
        let calls: [(String, () async throws -> Void)] = [
            ("a list", { _ = try await session.funds() }), ("a delete", { try await session.delete(FileID(1)) }),
            ("a change", { _ = try await session.makeFund(named: "x") }),
            ("an upload", { _ = try await session.upload(.bytes([1]), named: "x", to: .fund(FundID(1))) }),
            ("a standing", { _ = try await session.standing(ofUpload: "/api/v1/uploads/x") }),
            ("events", { for try await _ in session.events(since: .beginning) {} }),
            ("bytes", { _ = try await session.content(of: FileID(1)) }),
        ]
        for (name, call) in calls {
            do {
                try await call()
                Issue.record("\(name) was believed")
            } catch let error as ClientError {
                #expect(error.code == .foreign && error.isWorthRetrying && error.mayPass, "\(name): \(error)")
                #expect(error.detail.hasPrefix("something else answers at http://funds.example:8080: "), "\(error)")
                // HEAD and content have no body, in whose place something could stand.
                if answer.status != 200 { #expect(error.detail.contains(answer.words), "\(name): \(error)") }
            }
        }
    }

    /// JSON of another server: the error names the missing member, and nothing of how it was read.
    @Test(
        arguments: [
            ("{}", "“funds” is missing"), ("[]", "it is of another type"),
            ("{\"funds\":3}", "“funds” is of another type"),
            ("{", "it is no JSON"),
        ])
    func otherJSONIsSaidInWords(_ body: String, _ words: String) async throws {
        let answer = Answer(status: 200, type: "application/json", body: Array(body.utf8), words: words)
        let session = try await session(answer)
        await #expect { _ = try await session.funds() } throws: { error in
            guard let error = error as? ClientError else { return false }
            return error.code == .protocolViolation && error.detail.contains(words)
                && !error.detail.contains("DecodingError") && !error.detail.contains("debugDescription")
        }
    }

    /// A proxy that has no connection to the server, or no time, is no other server; what is too large for it is said.
    @Test(
        arguments: [
            (502, .serverFault), (503, .busy), (504, .serverFault), (429, .busy), (408, .timedOut), (413, .proxyLimit),
            (400, .invalid),
        ] as [(Int, ClientError.Code)])
    func proxiesThatPassNothing(_ status: Int, _ expected: ClientError.Code) async throws {
        let session = try await session(Answer(status: status, type: "text/html", words: ""))
        #expect(await code { _ = try await session.funds() } == expected)
    }

    /// No client waits for years, and no number ends the program.
    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "86401"])
    func longWaitsAreBounded(_ seconds: String) async throws {
        var portal = Portal(status: 503, fields: [.retryAfter: seconds], body: [])
        portal.fields[.contentType] = "text/plain"
        let request = TransportRequest(HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/"))
        await #expect { try await portal.response(to: request, ServerClock()) } throws: { error in
            let wait = (error as? ClientError)?.retryAfter ?? .seconds(-1)
            return wait >= .zero && wait <= .seconds(86_400)
        }
    }

    /// GOAWAY and RST_STREAM end requests by the errors that a cancelled task gets, too.
    @Test func endedStreamsAreInterruptions() async {
        for error in [HTTPClientError.requestStreamCancelled, .cancelled, .remoteConnectionClosed] {
            #expect(TransportError(translating: error).code == .interrupted)
        }
        #expect(TransportError(translating: CancellationError()).code == .interrupted)
        #expect(TransportError(translating: HTTPClientError.alreadyShutdown).code == .cancelled)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return TransportError(translating: HTTPClientError.requestStreamCancelled).code
        }
        #expect(await task.value == .cancelled)
    }
}
