import FundCore
import FundStore
import TestSupport

@testable import FundServer

/// A person outside with the address of one link, and the cookie that opening it gave.
struct Visitor: Sendable {
    let harness: ServerHarness
    let link: ShareLink
    let token: String
    var cookie: String?

    var path: String { "/s/\(token)" }

    /// Makes a link of Ann's.
    /// - Parameter made: time at which it is made, and from which its days count.
    init(
        _ items: [LibraryItemID], _ purpose: ShareLink.Purpose = .download, at made: Timestamp = .now,
        in harness: ServerHarness, _ change: (inout NewShareLink) -> Void = { _ in }
    ) async throws {
        let key = ShareLinkKey(serverKey: try harness.store.accounts.serverKey())
        var new = NewShareLink(
            items: items, purpose: purpose, expiresAt: made + .seconds(86_400), secret: key.makeSecret())
        change(&new)
        link = try await harness.store.links.addLink(new, of: harness.people.ann.id, at: made)
        token = key.token(of: link.seed)
        self.harness = harness
    }

    func get(_ path: String, method: String = "GET", fields: [String: String] = [:]) async throws -> RawHTTPResponse {
        try await harness.send(method, self.path + path, fields: own.merging(fields) { $1 })
    }

    /// Presses the button of the first page.
    @discardableResult
    mutating func open(_ form: String = "", fields: [String: String] = [:]) async throws -> RawHTTPResponse {
        let sent = BrowserSession.ownForm.merging(own) { $1 }.merging(fields) { $1 }.filter { !$0.value.isEmpty }
        let answer = try await harness.send("POST", path + "/open", fields: sent, body: Array(form.utf8))
        if answer.status == 303 { cookie = answer["set-cookie"].map { String($0.prefix { $0 != ";" }) } }
        return answer
    }

    /// Puts files as a form does.
    func put(_ files: [(name: String, text: String)]) async throws -> RawHTTPResponse {
        let parts = files.map {
            "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\($0.name)\"\r\n\r\n\($0.text)\r\n"
        }
        let fields = ["Content-Type": "multipart/form-data; boundary=b", "Sec-Fetch-Site": "same-origin"]
        return try await harness.send(
            "POST", path + "/files", fields: own.merging(fields) { $1 },
            body: Array((parts.joined() + "--b--\r\n").utf8))
    }

    var now: ShareLink { get async throws { try await harness.store.links.link(link.id, of: link.owner) } }

    private var own: [String: String] { cookie.map { ["Cookie": $0] } ?? [:] }
}
