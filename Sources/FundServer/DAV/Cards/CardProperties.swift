internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Writes `response` elements (RFC 4918 §14.24) for places and cards.
struct CardProperties {
    static let cardNamespace = "urn:ietf:params:xml:ns:carddav"
    static let serverNamespace = "http://calendarserver.org/ns/"
    static let declarations =
        " xmlns:D=\"DAV:\" xmlns:C=\"\(cardNamespace)\" xmlns:S=\"\(serverNamespace)\""

    static func card(_ local: String) -> MarkupName { MarkupName(namespace: cardNamespace, local: local) }

    /// Properties for who asks for all.
    private static let usual: [MarkupName] = [
        .dav("resourcetype"), .dav("displayname"), .dav("getetag"), .dav("getcontenttype"), .dav("getlastmodified"),
        .dav("current-user-principal"),
    ]

    let wanted: [MarkupName]
    let base: String
    let user: User
    /// Whether values are left out.
    private var isNames = false
    /// Whether properties that are not there are named.
    private var namesMissing = false
    /// Version of cards that are asked for as `address-data`.
    var version = VCardWriter.Version.v3

    init(_ request: PropfindRequest, base: String, user: User) {
        (self.base, self.user) = (base, user)
        switch request {
        case .some(let names): (wanted, namesMissing) = (names, true)
        case .all(let included): wanted = Self.usual + included
        case .names: (wanted, isNames) = (Self.usual, true)
        }
    }

    /// - Parameter token: of an address book.
    func write(_ place: CardPlace, token: String?, to writer: inout MarkupWriter) {
        write(href: place.href(below: base), to: &writer) { value(of: $0, at: place, token) }
    }

    func write(_ card: DeviceCard, in book: CardPlace.Book, to writer: inout MarkupWriter) {
        write(href: CardPlace.card(book, card.name).href(below: base), to: &writer) { value(of: $0, card) }
    }

    /// A place that is not there.
    static func writeMissing(_ href: String, to writer: inout MarkupWriter) {
        writer.raw("<D:response>")
        writer.element("D:href", href)
        writer.raw("<D:status>HTTP/1.1 404 Not Found</D:status></D:response>")
    }

    private func write(
        href: String, to writer: inout MarkupWriter, _ value: (MarkupName) -> ((inout MarkupWriter) -> Void)?
    ) {
        writer.raw("<D:response>")
        writer.element("D:href", href)
        writer.raw("<D:propstat><D:prop>")
        var missing: [MarkupName] = []
        for name in wanted {
            guard let write = value(name) else {
                missing.append(name)
                continue
            }
            let tag = Self.tag(name)
            writer.raw("<\(tag)>")
            if !isNames { write(&writer) }
            writer.raw("</\(tag)>")
        }
        writer.raw("</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>")
        if namesMissing, !missing.isEmpty {
            writer.raw("<D:propstat><D:prop>")
            for name in missing { name.writeEmpty(to: &writer) }
            writer.raw("</D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>")
        }
        writer.raw("</D:response>")
    }

    /// The tag of a property that is known: its namespace is one of `declarations`.
    private static func tag(_ name: MarkupName) -> String {
        switch name.namespace {
        case cardNamespace: "C:\(name.local)"
        case serverNamespace: "S:\(name.local)"
        default: "D:\(name.local)"
        }
    }

    // MARK: Values

    private typealias Value = (inout MarkupWriter) -> Void

    private static func raw(_ markup: String) -> Value { { $0.raw(markup) } }
    private static func text(_ text: String) -> Value { { $0.escaped(text) } }
    private func link(_ place: CardPlace) -> Value { Self.raw("<D:href>\(place.href(below: base))</D:href>") }

    private func value(of name: MarkupName, at place: CardPlace, _ token: String?) -> Value? {
        switch name {
        case .dav("resourcetype"):
            switch place {
            case .home: return Self.raw("<D:collection/>")
            case .principal: return Self.raw("<D:collection/><D:principal/>")
            case .book, .card: return Self.raw("<D:collection/><C:addressbook/>")
            }
        case .dav("displayname"):
            switch place {
            case .home: return Self.text("Contacts")
            case .principal: return Self.text(user.name ?? user.email)
            case .book(.own), .card: return Self.text("Contacts")
            case .book(.company): return Self.text("Company")
            }
        case .dav("current-user-principal"), .dav("principal-URL"), .dav("owner"): return link(.principal)
        case Self.card("addressbook-home-set"), .dav("principal-collection-set"):
            if case .book = place { return nil }
            return link(.home)
        case .dav("current-user-privilege-set"):
            return Self.raw(
                "<D:privilege><D:read/></D:privilege>"
                    + "<D:privilege><D:read-current-user-privilege-set/></D:privilege>")
        default:
            guard case .book = place, let token else { return nil }
            return value(of: name, ofBook: token)
        }
    }

    private func value(of name: MarkupName, ofBook token: String) -> Value? {
        switch name {
        case .dav("sync-token"), MarkupName(namespace: Self.serverNamespace, local: "getctag"):
            return Self.text(token)
        case .dav("supported-report-set"):
            let reports = ["C:addressbook-query", "C:addressbook-multiget", "D:sync-collection"]
            return Self.raw(
                reports.map { "<D:supported-report><D:report><\($0)/></D:report></D:supported-report>" }.joined())
        case Self.card("supported-address-data"):
            return Self.raw(
                VCardWriter.Version.allCases.map {
                    "<C:address-data-type content-type=\"text/vcard\" version=\"\($0.rawValue)\"/>"
                }.joined())
        case Self.card("supported-collation-set"):
            return Self.raw("<C:supported-collation>i;unicode-casemap</C:supported-collation>")
        case Self.card("max-resource-size"): return Self.text("\(64 << 10)")
        default: return nil
        }
    }

    private func value(of name: MarkupName, _ card: DeviceCard) -> Value? {
        switch name {
        case .dav("resourcetype"): return Self.raw("")
        case .dav("displayname"): return Self.text(card.card.name)
        case .dav("getetag"): return Self.text(card.entityTag)
        case .dav("getcontenttype"): return Self.text(VCardWriter.contentType)
        case .dav("getlastmodified"): return card.changedAt.map { Self.text(DateText.http($0)) }
        case .dav("current-user-principal"), .dav("owner"): return link(.principal)
        case Self.card("address-data"):
            return Self.text(String(decoding: card.text(version), as: UTF8.self))
        default: return nil
        }
    }
}
