internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// Reports about an address book: searches, many cards at once, and what changed (RFC 6352 §8, RFC 6578 §3.2).
extension CardDAV {
    /// Cards that a report answers with when the client names no limit.
    private static let maxCards = ContactLimits.maxContacts

    func report(_ call: CardCall) async throws -> Response {
        guard let root = try await call.body() else { throw DAVError(.badRequest, "a report needs a body") }
        guard case .book(let book) = try call.place() else {
            throw CardError(.forbidden, "D:supported-report")
        }
        var properties = CardProperties(try PropfindRequest(report: root), base: call.base, user: call.user)
        properties.version = try Self.version(asked: root)
        var writer = MarkupWriter()
        writer.raw("<D:multistatus\(CardProperties.declarations)>")
        switch root.name {
        case CardProperties.card("addressbook-multiget"):
            try await multiget(root, book, properties, call, to: &writer)
        case CardProperties.card("addressbook-query"):
            try await query(root, book, properties, call, to: &writer)
        case .dav("sync-collection"): try await sync(root, book, properties, call, to: &writer)
        default: throw CardError(.forbidden, "D:supported-report")
        }
        writer.raw("</D:multistatus>")
        return .xml(.multiStatus, writer)
    }

    /// The version of `address-data` (RFC 6352 §10.4). Throws 403 for one that is not written here.
    private static func version(asked root: MarkupElement) throws -> VCardWriter.Version {
        let data = root.first(.dav("prop"))?.first(CardProperties.card("address-data"))
        func attribute(_ name: String) -> String? { data?.attributes.first { $0.name.local == name }?.value }
        let type = attribute("content-type") ?? "text/vcard"
        guard type == "text/vcard", let version = VCardWriter.Version(rawValue: attribute("version") ?? "3.0") else {
            throw CardError(.forbidden, "C:supported-address-data")
        }
        return version
    }

    private static func limit(_ root: MarkupElement, _ name: MarkupName, _ number: MarkupName) -> Int {
        let text = root.first(name)?.first(number)?.text.trimmed
        return text.flatMap { Int($0) }.map { min(max($0, 1), maxCards) } ?? maxCards
    }

    private func multiget(
        _ root: MarkupElement, _ book: CardPlace.Book, _ properties: CardProperties, _ call: CardCall,
        to writer: inout MarkupWriter
    ) async throws {
        let hrefs = root.elements.filter { $0.name == .dav("href") }.map(\.text.trimmed)
        // Some clients send whole addresses.
        let names = hrefs.map { href -> String? in
            let start = href.firstRange(of: call.base + "/")?.lowerBound ?? href.startIndex
            let path = PercentCoding.decoded(href[start...].utf8).map { String(decoding: $0, as: UTF8.self) }
            guard let path, case .card(book, let name)? = CardPlace(path: path, below: call.base) else { return nil }
            return name
        }
        let found = try await cards(named: names.compactMap(\.self), of: book, call.user)
        var left = Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
        // Each card once, however often it is named.
        var seen: Set<String> = []
        var reserved = 0
        for (href, name) in zip(hrefs, names) where seen.insert(name ?? href).inserted {
            if let card = name.flatMap({ left.removeValue(forKey: $0) }) {
                properties.write(card, in: book, to: &writer)
            } else {
                CardProperties.writeMissing(href, to: &writer)
            }
            try await call.reserve(for: writer.byteCount, &reserved)
        }
    }

    private func query(
        _ root: MarkupElement, _ book: CardPlace.Book, _ properties: CardProperties, _ call: CardCall,
        to writer: inout MarkupWriter
    ) async throws {
        let filter = try CardFilter(root.first(CardProperties.card("filter")))
        let limit = Self.limit(root, CardProperties.card("limit"), CardProperties.card("nresults"))
        let cards = try await cards(of: book, call.user)
        let found = try await BlockingThreads.run { cards.filter { filter.admits($0) } }
        var reserved = 0
        for card in found.prefix(limit) {
            properties.write(card, in: book, to: &writer)
            try await call.reserve(for: writer.byteCount, &reserved)
        }
        if found.count > limit { Self.writeTruncation(of: book, call, to: &writer) }
    }

    private func sync(
        _ root: MarkupElement, _ book: CardPlace.Book, _ properties: CardProperties, _ call: CardCall,
        to writer: inout MarkupWriter
    ) async throws {
        let token = root.first(.dav("sync-token"))?.text.trimmed ?? ""
        let now = try await self.token(of: book, call.user)
        guard book == .own else {
            // It is not known what a directory had before.
            guard token.isEmpty || token == now else { throw CardError(.forbidden, "D:valid-sync-token") }
            let cards = token.isEmpty ? try await cards(of: book, call.user) : []
            var reserved = 0
            for card in cards {
                properties.write(card, in: book, to: &writer)
                try await call.reserve(for: writer.byteCount, &reserved)
            }
            return writer.element("D:sync-token", now)
        }
        var since = try await contacts.contactRevision(of: call.user.id)
        since.number = 0
        if !token.isEmpty {
            guard let revision = Self.revision(ofToken: token) else {
                throw CardError(.forbidden, "D:valid-sync-token")
            }
            since = revision
        }
        let limit = Self.limit(root, .dav("limit"), .dav("nresults"))
        guard let changes = try await contacts.contactChanges(since: since, of: call.user.id, limit: limit) else {
            throw CardError(.forbidden, "D:valid-sync-token")
        }
        var reserved = 0
        for contact in changes.changed {
            properties.write(DeviceCard(contact, in: since.history), in: book, to: &writer)
            try await call.reserve(for: writer.byteCount, &reserved)
        }
        // A device that begins has none of these.
        for id in changes.deleted where since.number > 0 {
            CardProperties.writeMissing(CardPlace.card(book, "\(id)").href(below: call.base), to: &writer)
        }
        if changes.hasMore { Self.writeTruncation(of: book, call, to: &writer) }
        writer.element("D:sync-token", Self.token(of: changes.revision))
    }

    /// Says that there are more (RFC 6352 §8.6.2, RFC 6578 §3.6).
    private static func writeTruncation(
        of book: CardPlace.Book, _ call: CardCall, to writer: inout MarkupWriter
    ) {
        writer.raw("<D:response>")
        writer.element("D:href", CardPlace.book(book).href(below: call.base))
        writer.raw("<D:status>HTTP/1.1 507 Insufficient Storage</D:status>")
        writer.raw("<D:error><D:number-of-matches-within-limits/></D:error></D:response>")
    }
}

/// A precondition of RFC 6352 or RFC 6578 that does not hold.
struct CardError: DAVResponseError {
    var status: HTTPResponse.Status
    /// The element with its prefix.
    var condition: StaticString

    init(_ status: HTTPResponse.Status, _ condition: StaticString) {
        (self.status, self.condition) = (status, condition)
    }

    var response: Response {
        var writer = MarkupWriter()
        writer.raw("<D:error\(CardProperties.declarations)><\(condition)/></D:error>")
        return .xml(status, writer)
    }
}
