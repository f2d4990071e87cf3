internal import Crypto
internal import Foundation
import FundStore
import FundCore
import TestSupport
internal import Testing

@testable import FundServer

/// The mobile API over a store with two users, a fund each, and a mail with attachments; and a client that can do it
/// wrong.
final class MobileHarness: @unchecked Sendable {  // the server is replaced only between two awaits of one test
    let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "mobile"))"
    let clock: TestClock
    private(set) var server: MobileServer
    let ann: User
    let bob: User
    let fund: Fund
    let bobsFund: Fund
    let emailID: EmailSummary.ID
    static let report = FiledMail.Part(
        name: "Q3 报告.pdf", bytes: Array("%PDF-1.7 ".utf8) + (0..<5000).map { UInt8($0 & 255) })

    var store: FundStore { server.store }
    var baseURL: String { "http://127.0.0.1:\(server.port)" }

    init(
        clock: TestClock = TestClock(), secondFactors: @escaping @Sendable () -> SecondFactorRule = { .none }
    ) async throws {
        self.clock = clock
        let beginning = try await Self.beginning.value
        try beginning.template.copy(to: folder)
        server = try await MobileServer(folder: folder, clock: clock, secondFactors: secondFactors)
        (ann, fund, bob, bobsFund, emailID) = beginning.made
    }

    /// The store with which all harnesses begin, filled once.
    private static let beginning = Task {
        try await FolderTemplate.filled { folder in
            let store = try FundStore.open(at: folder, mode: .create)
            let made = try await fill(store)
            try store.close()
            return made
        }
    }

    private static func fill(_ store: FundStore) async throws -> (User, Fund, User, Fund, EmailSummary.ID) {
        func add(_ email: String, isAdministrator: Bool = false) async throws -> (User, Fund) {
            let user = try await store.administration.addUser(
                email: email, name: nil, isAdministrator: isAdministrator, addresses: [], actor: "t")
            try await Accounts(store: store.accounts, scrypt: AccountSettings.quick.scrypt).setPassword(
                AccountHarness.password, of: user, actor: "t")
            return (
                user, try await store.administration.addFund(name: "Fund1", owner: user.id, aliases: [], actor: "t")
            )
        }
        let (ann, fund) = try await add("ann@example.com")
        let (bob, bobsFund) = try await add("bob@example.com", isAdministrator: true)
        let mail = FiledMail(
            subject: "[Fund1] Q3 report",
            parts: [
                report,
                FiledMail.Part(name: "logo.png", bytes: [1, 2, 3], contentType: "image/png", isInline: true),
            ])
        return (ann, fund, bob, bobsFund, try #require(try await mail.file(in: fund, of: ann, store: store)))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// No administrator, with the password that all have. Gives the address.
    func addUser(_ email: String) async throws -> String {
        let user = try await store.administration.addUser(
            email: email, name: nil, isAdministrator: false, addresses: [], actor: "t")
        try await Accounts(store: store.accounts, scrypt: AccountSettings.quick.scrypt).setPassword(
            AccountHarness.password, of: user, actor: "t")
        return email
    }

    /// Stops and starts the server.
    func restart() async throws {
        try await server.stop()
        server = try await MobileServer(folder: folder, clock: clock)
    }

    // MARK: A client

    struct Session: Sendable {
        var user: Int64
        var token: String
        var expire: Int64
    }

    struct Answer {
        var status: Int
        var fields: [(name: String, value: String)]
        var body: [UInt8]

        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        }
        var description: String { json["description"] as? String ?? "" }
        var text: String { String(decoding: body, as: UTF8.self) }
        /// `401 invalid sign`
        var summary: String { status == 200 ? "200" : "\(status) \(description)" }

        subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
    }

    /// A call with everything that its sign is made of; each can be made wrong after signing.
    struct Call {
        var method = "GET"
        var path: String
        var query: String
        var body = ""
        var contentType: String? = "application/x-www-form-urlencoded"
        var sign = ""

        /// Sets `sign` right.
        func signed(_ token: String) -> Call {
            let text = "\(method)\n\(path)\n\(query)\n\(SHA256.hash(data: Data(body.utf8)).hex)"
            var call = self
            call.sign =
                HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: Data(token.utf8))).hex
            return call
        }
    }

    func send(_ call: Call) async throws -> Answer {
        try await exchange(
            call.method, "\(call.path)/\(call.sign)?\(call.query)", call.body, contentType: call.contentType)
    }

    func exchange(
        _ method: String, _ target: String, _ body: String = "", contentType: String? = nil
    ) async throws -> Answer {
        var request = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if let contentType { request += "Content-Type: \(contentType)\r\n" }
        if method != "GET" || !body.isEmpty { request += "Content-Length: \(body.utf8.count)\r\n" }
        let response = try #require(try await server.exchange(request + "\r\n" + body, hasBody: method != "HEAD"))
        return Answer(status: response.status, fields: response.fields, body: response.body)
    }

    func logIn(_ name: String = "ann@example.com", _ password: String = AccountHarness.password) async throws -> Session
    {
        let answer = try await exchange(
            "POST", "/login", "username=\(name)&password=\(password.replacing(" ", with: "+"))",
            contentType: "application/x-www-form-urlencoded")
        return Session(
            user: try #require(answer.json["user_id"] as? Int64), token: try #require(answer.json["token"] as? String),
            expire: try #require(answer.json["expire"] as? Int64))
    }

    func call(_ session: Session, _ path: String, query: String = "") -> Call {
        call(session, "GET", path, query: query)
    }

    /// A call that is right. `path` without the user's id.
    func call(
        _ session: Session, _ method: String, _ path: String, _ body: String = "", query: String = ""
    ) -> Call {
        var parameters = "ts=\(clock.now)" + (query.isEmpty ? "" : "&\(query)")
        if method != "GET" && method != "HEAD" { parameters += "&nonce=\(UUID().uuidString)" }
        return Call(method: method, path: "\(path)/\(session.user)", query: parameters, body: body).signed(
            session.token)
    }
}

extension Sequence<UInt8> {
    var hex: String { map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() }
}
