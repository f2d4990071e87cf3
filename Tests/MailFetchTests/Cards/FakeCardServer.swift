import FundCore
import MailConnection
import Synchronization

@testable import MailFetch

/// A server of one address book, as its cards and abilities say. Each request is noted.
final class FakeCardServer: Sendable {
    /// The abilities of a server.
    struct Abilities: Sendable, Hashable {
        var sync = true
        var tags = true
        var multiget = true
        /// Cards of one answer about changes; nil for all.
        var part: Int?
        /// The longest answer that the client takes.
        var maxAnswerBytes = Int.max
    }

    struct State: Sendable {
        var cards: [String: String] = [:]
        /// Number of the change by which a card became what it is, or went.
        var changes: [String: Int] = [:]
        var revision = 1
        /// Changes before this one are forgotten.
        var oldest = 0
        var requests: [String] = []
        /// The address books that a look at the user's home finds.
        var books = [FakeCardServer.book]
        /// The answer to everything; nil while the server is well.
        var failure: WebAnswer?
    }

    static let book = "/people/book/"

    let abilities: Abilities
    let state = Mutex(State())

    init(_ abilities: Abilities = Abilities()) { self.abilities = abilities }

    /// Puts a card; nil deletes it.
    func put(_ card: String?, at name: String) {
        state.withLock {
            $0.revision += 1
            $0.cards[Self.book + name] = card
            $0.changes[Self.book + name] = $0.revision
        }
    }

    func person(_ name: String, at file: String) {
        put("BEGIN:VCARD\r\nVERSION:3.0\r\nUID:\(file)\r\nFN:\(name)\r\nEND:VCARD\r\n", at: file)
    }

    /// The requests since the last time.
    func takeRequests() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    func client(at path: String = book) throws -> CardClient {
        let server = CardServer(until: .now + .seconds(60)) { request throws(ConnectionError) in
            try self.answer(to: request)
        }
        return CardClient(server: server, address: try WebAddress(url: "https://cards.example\(path)"))
    }

    private func answer(to request: WebRequest) throws(ConnectionError) -> WebAnswer {
        let answer = state.withLock { state in
            let body = request.text
            let kind = ["sync-collection", "multiget"].first { body.contains($0) } ?? request.method
            state.requests.append("\(kind) \(request.address.path)")
            return state.failure ?? self.answer(kind, request, &state)
        }
        guard answer.body.count <= abilities.maxAnswerBytes else {
            throw ConnectionError(.unsupported, during: request.method, "the answer is too long")
        }
        return answer
    }

    private func answer(_ kind: String, _ request: WebRequest, _ state: inout State) -> WebAnswer {
        let path = request.address.path
        let depth = request.fields.first { $0.name == "Depth" }?.value
        switch (kind, path) {
        case ("PROPFIND", "/.well-known/carddav"): return WebAnswer(status: 301, fields: ["location": "/dav/"])
        case ("PROPFIND", "/dav"), ("PROPFIND", "/elsewhere"):
            let place = path == "/dav" ? "/dav/" : "https://evil.example/dav/"
            return WebAnswer(status: 308, fields: ["location": place])
        case ("PROPFIND", "/dav/"):
            return Self.multi(
                Self.response(path, "<current-user-principal><href>/users/ann/</href></current-user-principal>"))
        case ("PROPFIND", "/users/ann/"):
            return Self.multi(
                Self.response(path, "<C:addressbook-home-set><href>/people/</href></C:addressbook-home-set>"))
        case ("PROPFIND", "/people/"):
            let books = state.books.map { Self.response($0, Self.bookType + version(state)) }.joined()
            return Self.multi(Self.response(path, "<resourcetype><collection/></resourcetype>") + books)
        case ("PROPFIND", Self.book) where depth == "0":
            return Self.multi(Self.response(path, Self.bookType + version(state)))
        case ("PROPFIND", Self.book):
            let cards = state.cards.keys.sorted().map { Self.response($0, tag($0, state)) }.joined()
            return Self.multi(Self.response(path, Self.bookType) + cards)
        case ("sync-collection", Self.book) where abilities.sync: return changes(request, state)
        case ("multiget", Self.book) where abilities.multiget: return cards(request, state)
        case ("GET", _):
            guard let card = state.cards[path] else { return WebAnswer(status: 404) }
            return WebAnswer(status: 200, fields: ["etag": entityTag(path, state)], body: Array(card.utf8))
        default: return WebAnswer(status: kind == "PROPFIND" ? 404 : 403)
        }
    }

    private func version(_ state: State) -> String {
        (abilities.sync ? "<sync-token>urn:\(state.revision)</sync-token>" : "")
            + (abilities.tags ? "<S:getctag>\(state.revision)</S:getctag>" : "")
    }

    private func changes(_ request: WebRequest, _ state: State) -> WebAnswer {
        let body = request.text
        let since = body.components(between: "<D:sync-token>", "</D:sync-token>").first ?? ""
        let number = Int(since.dropFirst("urn:".count)) ?? 0
        guard since.isEmpty || number >= state.oldest else { return WebAnswer(status: 403) }
        var changed = state.changes.filter { $0.value > number }.sorted { $0.value < $1.value }
        var (end, isCut) = (state.revision, false)
        if let part = abilities.part, changed.count > part {
            changed.removeLast(changed.count - part)
            (end, isCut) = (changed.last?.value ?? end, true)
        }
        let responses = changed.map { path, _ in
            state.cards[path] == nil
                ? "<response><href>\(path)</href><status>HTTP/1.1 404 Not Found</status></response>"
                : Self.response(path, tag(path, state))
        }
        let cut = "<response><href>\(Self.book)</href><status>HTTP/1.1 507 Insufficient Storage</status></response>"
        return Self.multi(responses.joined() + (isCut ? cut : "") + "<sync-token>urn:\(end)</sync-token>")
    }

    private func cards(_ request: WebRequest, _ state: State) -> WebAnswer {
        let paths = request.text.components(between: "<D:href>", "</D:href>")
        let responses = paths.map { path in
            guard let card = state.cards[path] else {
                return "<response><href>\(path)</href><status>HTTP/1.1 404 Not Found</status></response>"
            }
            let text = card.replacing(scalar: "&", with: "&amp;").replacing(scalar: "<", with: "&lt;")
            return Self.response(path, tag(path, state) + "<C:address-data>\(text)</C:address-data>")
        }
        return Self.multi(responses.joined())
    }

    private func entityTag(_ path: String, _ state: State) -> String { "\"\(state.changes[path] ?? 0)\"" }

    private func tag(_ path: String, _ state: State) -> String {
        "<resourcetype/><getetag>\(entityTag(path, state))</getetag>"
    }

    private static let bookType = "<resourcetype><collection/><C:addressbook/></resourcetype>"

    private static func response(_ path: String, _ properties: String) -> String {
        "<response><href>\(path)</href><propstat><prop>\(properties)</prop><status>HTTP/1.1 200 OK</status></propstat>"
            + "<propstat><prop><displayname/></prop><status>HTTP/1.1 404 Not Found</status></propstat></response>"
    }

    private static func multi(_ responses: String) -> WebAnswer {
        let root =
            "<multistatus xmlns='DAV:' xmlns:C='urn:ietf:params:xml:ns:carddav' "
            + "xmlns:S='http://calendarserver.org/ns/'>"
        return WebAnswer(status: 207, body: Array("\(root)\(responses)</multistatus>".utf8))
    }
}

extension String {
    /// The texts between marks.
    fileprivate func components(between start: String, _ end: String) -> [String] {
        split(separator: start, omittingEmptySubsequences: false).dropFirst().map { part in
            String(part.split(separator: end, maxSplits: 1, omittingEmptySubsequences: false).first ?? "")
        }
    }
}

extension WebRequest {
    fileprivate var text: String { String(decoding: body ?? [], as: UTF8.self) }
}
