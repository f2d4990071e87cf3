import Foundation
import FundStore
import FundCore
import TestSupport

@testable import FundHTTP
@testable import FundServer

/// A server over a store of its own, and Ann who has nothing but the empty fund `Fund1`.
struct DAVHarness {
    let server: ServerHarness
    let ann: User
    let password: String

    var url: String { server.baseURL + "/dav/" }
    var store: FundStore { server.store }

    init(limits: ServerLimits = ServerLimits(), isBehindProxy: Bool = false) async throws {
        var options = ServerHarness.Options()
        options.settings.limits = limits
        options.settings.isBehindProxy = isBehindProxy
        server = try await ServerHarness(options)
        (ann, password) = try await Self.addUser("dav@example.com", to: server.store)
        _ = try await server.store.library.addFund("Fund1", of: ann.id)
    }

    /// With an app password, which costs no hash.
    static func addUser(_ email: String, to store: FundStore) async throws -> (User, password: String) {
        let user = try await store.administration.addUser(
            email: email, name: nil, isAdministrator: false, addresses: [], actor: "test")
        let token = try await authenticator(store).issueToken(.app, for: user, label: "test")
        return (user, token.characters)
    }

    private static func authenticator(_ store: FundStore) throws -> Authenticator {
        try Authenticator(store: store.accounts, now: { .now })
    }

    /// Brings back the beginning: a new harness costs seconds on a busy disk.
    func reset() async throws {
        for fund in try await store.library.funds(of: ann.id) {
            try await store.library.deleteFund(fund.id, of: ann.id)
        }
        _ = try await store.library.addFund("Fund1", of: ann.id)
    }

    // MARK: Requests

    static func basic(_ name: String, _ password: String) -> String {
        "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    }

    /// One request of Ann's on a connection of its own. `path` goes after `/dav/` as it is.
    func send(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String = ""
    ) async throws -> RawHTTPResponse {
        var fields = fields
        if fields["Authorization"] == nil { fields["Authorization"] = Self.basic(ann.email, password) }
        if fields["Host"] == nil { fields["Host"] = "127.0.0.1:\(server.port)" }
        fields["Content-Length"] = String(body.utf8.count)
        let head = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        let response = try await server.raw(
            "\(method) /dav/\(path) HTTP/1.1\r\n\(head)\r\n\(body)", hasBody: method != "HEAD")
        guard let response else { throw ServerFailure("\(method) \(path): no response") }
        return response
    }

    func status(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String = ""
    ) async throws -> Int {
        try await send(method, path, fields, body).status
    }

    /// COPY or MOVE.
    func transfer(
        _ method: String, _ path: String, to destination: String, _ fields: [String: String] = [:]
    ) async throws -> Int {
        try await status(method, path, fields.merging(["Destination": "/dav/" + destination]) { $1 })
    }

    static func lockBody(_ scope: String = "exclusive") -> String {
        """
        <?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:\(scope)/></D:lockscope>
        <D:locktype><D:write/></D:locktype><D:owner><D:href>mailto:dav@example.com</D:href></D:owner></D:lockinfo>
        """
    }

    /// The token of a new lock.
    func lock(_ path: String, _ scope: String = "exclusive", depth: String = "infinity") async throws -> String {
        let response = try await send("LOCK", path, ["Depth": depth], Self.lockBody(scope))
        guard (200...201).contains(response.status), let token = response["lock-token"] else {
            throw ServerFailure("LOCK \(path): \(response.status) \(response.text)")
        }
        return token
    }

    /// Hrefs of the members. A long answer comes in chunks, which begin and end between members.
    func ls(_ path: String) async throws -> [String] {
        let response = try await send("PROPFIND", path, ["Depth": "1", "Connection": "close"])
        guard response.status == 207 else { throw ServerFailure("PROPFIND \(path): \(response.status)") }
        return response.text.components(separatedBy: "<D:response><D:href>").dropFirst(2).compactMap { part in
            part.components(separatedBy: "</D:href>").first
        }
    }

    // MARK: Tools

    /// For what blocks: the server needs the threads of Swift's pool.
    static func off<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
