import FundCore
import MailConnection
import Synchronization
import Testing

@testable import MailFetch

/// Copies of address books of servers that can do more or less.
struct CardClientTests {
    private static func names(_ book: CardBook) throws -> [String] {
        let file = try #require(book.file)
        return file.isEmpty ? [] : try CompanyDirectory(file).people.map(\.card.name)
    }

    static let abilities: [FakeCardServer.Abilities] = [
        .init(), .init(part: 2), .init(multiget: false), .init(sync: false), .init(sync: false, tags: false),
        .init(sync: false, multiget: false), .init(maxAnswerBytes: 1500),
    ]

    /// Additions, changes and deletions, and looks without a change.
    @Test(arguments: abilities)
    func followsTheServer(_ abilities: FakeCardServer.Abilities) throws {
        let server = FakeCardServer(abilities)
        for name in ["Ann", "Bob", "Cleo", "Dan & <Co>", "Eve"] { server.person(name, at: "\(name.prefix(3)).vcf") }
        var book = CardBook()
        let client = try server.client()
        #expect(try client.update(&book))
        #expect(try Self.names(book) == ["Ann", "Bob", "Cleo", "Dan & <Co>", "Eve"])
        _ = server.takeRequests()
        #expect(try !client.update(&book))
        let knowsChanges = abilities.sync || abilities.tags
        #expect(server.takeRequests().count == (knowsChanges ? 1 : 2))
        server.person("Bobby", at: "Bob.vcf")
        server.put(nil, at: "Ann.vcf")
        server.person("Finn", at: "Fin.vcf")
        #expect(try client.update(&book))
        #expect(try Self.names(book) == ["Bobby", "Cleo", "Dan & <Co>", "Eve", "Finn"])
        // Cards that did not change are not read again.
        let requests = server.takeRequests()
        #expect(requests.count { $0.hasPrefix("GET") } == (abilities.multiget ? 0 : 2), "\(requests)")
        #expect(try !client.update(&book))
    }

    /// A server that forgot the state which the copy has is read whole.
    @Test func beginsAnewWhereTheStateIsForgotten() throws {
        let server = FakeCardServer()
        server.person("Ann", at: "a.vcf")
        server.person("Bob", at: "b.vcf")
        var book = CardBook()
        let client = try server.client()
        _ = try client.update(&book)
        server.put(nil, at: "a.vcf")
        server.state.withLock { $0.oldest = $0.revision + 1 }
        #expect(try client.update(&book))
        #expect(try Self.names(book) == ["Bob"])
    }

    @Test(arguments: ["/", "/dav", "/dav/", "/users/ann/", FakeCardServer.book])
    func findsTheAddressBook(_ path: String) throws {
        let server = FakeCardServer()
        server.person("Ann", at: "a.vcf")
        var book = CardBook()
        _ = try server.client(at: path).update(&book)
        #expect(try Self.names(book) == ["Ann"] && book.place?.address.path == FakeCardServer.book)
        _ = server.takeRequests()
        _ = try server.client(at: path).update(&book)
        let place = path == FakeCardServer.book ? path : "/people/"
        #expect(server.takeRequests() == ["PROPFIND \(place)"])
    }

    /// A book that was found alone is not taken for the one that is meant once there are others. Its people stay.
    @Test func asksWhichBookIsMeantOnceThereAreTwo() throws {
        let server = FakeCardServer()
        server.person("Ann", at: "a.vcf")
        var (book, named) = (CardBook(), CardBook())
        let client = try server.client(at: "/")
        _ = try client.update(&book)
        _ = try server.client().update(&named)
        server.state.withLock { $0.books.append("/people/company/") }
        for _ in 0..<2 {
            let error = #expect(throws: ConnectionError.self) { try client.update(&book) }
            #expect(error?.code == .unsupported && error?.detail.contains("/people/company/") == true)
            #expect(try Self.names(book) == ["Ann"])
        }
        #expect(try !server.client().update(&named), "its address is configured")
        server.state.withLock { $0.books = [FakeCardServer.book] }
        server.person("Bob", at: "b.vcf")
        #expect(try client.update(&book))
        #expect(try Self.names(book) == ["Ann", "Bob"])
        server.state.withLock { $0.books = [] }
        #expect(throws: ConnectionError.self) { try client.update(&book) }
        #expect(try Self.names(book) == ["Ann", "Bob"])
    }

    /// A list of more resources than are kept, in more elements than other documents may have: it is no mistake, and
    /// what stands behind them is read.
    @Test func cutsALongList() throws {
        let responses = (1...2 * CardBook.maxCards + 1).map { "<response><href>/\($0)</href></response>" }
        let status = try MultiStatus(
            Array("<multistatus xmlns='DAV:'>\(responses.joined())<sync-token>t</sync-token></multistatus>".utf8))
        #expect(status.isCut && status.syncToken == "t" && status.resources.count == 2 * CardBook.maxCards)
        #expect(status.resources.last?.reference == "/\(2 * CardBook.maxCards)")
    }

    @Test(
        arguments: [
            ("/elsewhere", nil, ConnectionError.Code.unsupported), ("/nothing", nil, .mailboxUnavailable),
            (FakeCardServer.book, WebAnswer(status: 401), .loginRefused),
            (FakeCardServer.book, WebAnswer(status: 403), .commandRefused),
            (FakeCardServer.book, WebAnswer(status: 503, fields: ["retry-after": "7"]), .throttled),
            (FakeCardServer.book, WebAnswer(status: 500), .throttled),
            (FakeCardServer.book, WebAnswer(status: 200, body: Array("<html/>".utf8)), .protocolViolation),
            (FakeCardServer.book, WebAnswer(status: 207, body: Array("<html/>".utf8)), .protocolViolation),
            (FakeCardServer.book, WebAnswer(status: 207, body: Array("<!DOCTYPE a><a/>".utf8)), .protocolViolation),
            (
                FakeCardServer.book, WebAnswer(status: 301, fields: ["location": FakeCardServer.book]),
                .protocolViolation
            ),
            (FakeCardServer.book, WebAnswer(status: 302), .unsupported),
        ] as [(String, WebAnswer?, ConnectionError.Code)])
    func saysWhatIsWrong(_ path: String, _ failure: WebAnswer?, _ code: ConnectionError.Code) throws {
        let server = FakeCardServer()
        server.state.withLock { $0.failure = failure }
        var book = CardBook()
        let error = #expect(throws: ConnectionError.self) { try server.client(at: path).update(&book) }
        #expect(error?.code == code, "\(error as Any)")
        if failure?.fields["retry-after"] != nil { #expect(error?.retryAfter == .seconds(7)) }
    }

    /// A server that fails takes no person away, and what was read before it failed need not be read again.
    @Test func keepsWhatItHas() throws {
        let server = FakeCardServer()
        server.person("Ann", at: "a.vcf")
        var book = CardBook()
        let client = try server.client()
        _ = try client.update(&book)
        server.person("Bob", at: "b.vcf")
        server.state.withLock { $0.failure = WebAnswer(status: 503) }
        #expect(throws: ConnectionError.self) { try client.update(&book) }
        #expect(try Self.names(book) == ["Ann"])
        server.state.withLock { $0.failure = nil }
        #expect(try client.update(&book))
        #expect(try Self.names(book) == ["Ann", "Bob"])
    }

    /// Cards that would spoil others, pictures, and a card that is too large.
    @Test func leavesOutWhatIsNoCard() throws {
        let server = FakeCardServer(.init(maxAnswerBytes: 4000))
        server.person("Ann", at: "a.vcf")
        server.put("BEGIN:VCARD\r\nFN:Open\r\n", at: "open.vcf")
        server.put("BEGIN:VCARD\nFN:Agent\nAGENT:\nBEGIN:VCARD\nFN:X\nEND:VCARD\n", at: "agent.vcf")
        server.put("<html></html>", at: "page.vcf")
        let picture = (0..<9).map { _ in " \(String(repeating: "A", count: 70))" }.joined(separator: "\r\n")
        server.put(
            "BEGIN:VCARD\r\nFN:Pia\r\nitem1.PHOTO;ENCODING=b:AAAA\r\n\(picture)\r\nTITLE:T\r\nEND:VCARD", at: "p.vcf")
        server.put("BEGIN:VCARD\r\nFN:\(String(repeating: "L", count: 5000))\r\nEND:VCARD", at: "large.vcf")
        var book = CardBook()
        _ = try server.client().update(&book)
        #expect(try Self.names(book) == ["Ann", "Pia"] && book.hasLeftOut)
        let file = String(decoding: try #require(book.file), as: UTF8.self)
        #expect(!file.contains("AAAA") && file.contains("TITLE:T"))
    }

    @Test(arguments: [
        ("BEGIN:VCARD\nFN:a\nEND:VCARD", "BEGIN:VCARD\r\nFN:a\r\nEND:VCARD\r\n"),
        ("begin:vcard\r\nLOGO:x\r\n y\r\nN:a\r\nend:vcard\r\n", "begin:vcard\r\nN:a\r\nend:vcard\r\n"),
        ("END:VCARD\r\nBEGIN:VCARD", ""), ("BEGIN:VCARD", ""), ("", ""), ("FN:a", ""),
        ("BEGIN:VCARD\nFN:a\0b\nEND:VCARD", ""),
    ])
    func cleansCards(_ text: String, _ cleaned: String) {
        #expect(String(decoding: CardText.cleaned(text), as: UTF8.self) == cleaned)
    }
}
