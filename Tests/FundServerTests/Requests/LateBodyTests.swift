import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Requests whose bodies come when their senders may not come in any more.
struct LateBodyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var request: String
        var type = "application/json"
        var body: String
        var isPage = false
        /// The sender is an administrator, and loses that role only.
        var isDemotion = false
        /// The sender loses the app password only.
        var isRevocation = false

        var testDescription: String { isRevocation ? "\(request), revoked" : request }
    }

    static let rows = [
        Row(request: "POST /api/v1/funds/{fund}/notes", body: #"{"title": "late", "content": "x"}"#),
        Row(request: "POST /api/v1/funds/{fund}/folders", body: #"{"name": "late"}"#),
        Row(request: "POST /api/v1/funds", body: #"{"name": "late"}"#),
        Row(request: "PATCH /api/v1/funds/{fund}", body: #"{"name": "late"}"#),
        Row(
            request: "PROPPATCH /dav/Fund1", type: "application/xml",
            body: #"<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="y">1</x></D:prop></D:set>"#
                + "</D:propertyupdate>"),
        Row(request: "LOCK /dav/Fund1/late.txt", type: "application/xml", body: DAVHarness.lockBody()),
        Row(
            request: "LOCK /dav/Fund1/late.txt", type: "application/xml", body: DAVHarness.lockBody(),
            isRevocation: true),
        Row(request: "MKCOL /dav/Fund1/late", type: "application/xml", body: ""),
        Row(
            request: "POST /library/funds/{fund}/folders", type: "application/x-www-form-urlencoded",
            body: "&name=late",
            isPage: true),
        Row(request: "PATCH /api/v1/admin/funds/{fund}", body: #"{"name": "late"}"#, isDemotion: true),
    ]

    @Test(arguments: rows)
    func areOfNobody(_ row: Row) async throws {
        var options = ServerHarness.Options()
        options.settings.limits.bodyGrace = .seconds(3600)
        let harness = try await ServerHarness(options)
        let (people, store) = (harness.people, harness.store)
        let sender = row.isDemotion ? people.root : people.ann
        let session = row.isPage ? try await BrowserSession(sender, harness) : nil
        let credentials =
            if let session {
                "Cookie: \(session.cookie)\r\nSec-Fetch-Site: same-origin"
            } else if row.request.contains(" /dav/") {
                "Authorization: "
                    + DAVHarness.basic(sender.email, try await harness.appPassword(of: sender).characters)
            } else {
                "Authorization: Bearer \(try await harness.token(of: sender))"
            }
        let body = (session.map { "csrf=\($0.formToken)" } ?? "") + row.body
        let before = try await store.library.latestChange(of: people.ann.id)
        let target = row.request.replacing("{fund}", with: "\(people.fund.id)")
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(
            "\(target) HTTP/1.1\r\nHost: a\r\n\(credentials)\r\n"
                + "Content-Type: \(row.type)\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
        // The server asks for the body when it has let the sender in.
        #expect(await connection.response(hasBody: false)?.status == 100)
        // The last administrator cannot lose the role.
        _ = try await store.administration.addUser(
            email: "other@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        if row.isRevocation {
            _ = try await store.accounts.revokeTokens([.app], of: sender.id, keeping: nil, actor: "test")
        } else {
            let loss = row.isDemotion ? UserChange(isAdministrator: false) : UserChange(isDisabled: true)
            _ = try await store.administration.changeUser(sender.id, loss, if: nil, actor: "test")
        }
        let chunk = body.isEmpty ? "" : "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n"
        await connection.send(chunk + "0\r\n\r\n")
        #expect(await connection.response()?.status == (row.isDemotion ? 403 : 401))
        #expect(try await store.library.latestChange(of: people.ann.id) == before)
        try await harness.stop()
    }
}
