internal import FundCore
package import MailConnection

/// Brings the copy of an address book up to date by what the server offers: changes since a state (RFC 6578), else a
/// list with entity tags; and many cards in one request (RFC 6352 §8.7), else one by one.
package struct CardClient {
    private static let listed = CardNames.propfind("<D:resourcetype/><D:getetag/>")
    /// Cards of one request.
    private static let batchCount = 100
    /// Answers about changes, each of which has a part of them.
    private static let maxParts = 1000

    private let server: CardServer
    /// The address that the administrator names.
    private let address: WebAddress

    package init(server: CardServer, address: WebAddress) { (self.server, self.address) = (server, address) }

    /// Reads what changed. When it throws, the copy has what was read until then, and the next time goes on from there.
    ///
    /// - Returns: whether the copy changed.
    package func update(_ book: inout CardBook) throws(ConnectionError) -> Bool {
        let before = book.cards
        let (place, state) = try find(&book)
        let (token, tag) = (state.text(.dav("sync-token")), state.text(CardNames.collectionTag))
        if book.isWhole, token != nil ? token == book.syncToken : tag != nil && tag == book.collectionTag {
            return false
        }
        let listing = try listing(of: place, in: book, offersChanges: token != nil)
        try read(listing.changed, listing.tags, of: place, into: &book)
        if listing.isWhole {
            let there = Set(listing.present)
            book.cards = book.cards.filter { there.contains($0.key) }
        }
        for path in listing.removed { book.cards[path] = nil }
        (book.syncToken, book.collectionTag, book.isWhole) = (listing.syncToken, tag, true)
        return book.cards != before
    }

    /// Finds the address book, and forgets the copy of another one.
    private func find(_ book: inout CardBook) throws(ConnectionError) -> (WebAddress, MultiStatus.Resource) {
        let discovery = CardDiscovery(server: server)
        let found: CardDiscovery.Found
        do throws(ConnectionError) {
            if let place = book.place, !book.isMissed {
                found = try discovery.addressBook(at: place)
            } else {
                found = try discovery.addressBook(from: address)
            }
        } catch {
            book.isMissed = [.mailboxUnavailable, .unsupported].contains(error.code)
            throw error
        }
        if let last = book.place, last.address != found.place.address { book = CardBook() }
        (book.place, book.isMissed) = (found.place, false)
        return (found.place.address, found.state)
    }

    // MARK: Lists

    /// The cards of an address book, or those that changed.
    private struct Listing {
        /// Whether it names all cards that there are.
        var isWhole: Bool
        var syncToken: String?
        /// Paths of all that it names.
        var present: [String] = []
        /// Paths of those whose text is not known here.
        var changed: [String] = []
        var removed: [String] = []
        /// Entity tags, by path.
        var tags: [String: String] = [:]
    }

    private func listing(
        of place: WebAddress, in book: CardBook, offersChanges: Bool
    ) throws(ConnectionError) -> Listing {
        guard offersChanges else { return try wholeListing(of: place, in: book) }
        if book.isWhole, let token = book.syncToken {
            do { return try changes(of: place, since: token, in: book) } catch {
                // The server does not know this state any more (RFC 6578 §3.2).
                guard Self.isRefusal(error) else { throw error }
            }
        }
        do { return try changes(of: place, since: "", in: book) } catch {
            guard Self.isRefusal(error) else { throw error }
            return try wholeListing(of: place, in: book)
        }
    }

    private static func isRefusal(_ error: ConnectionError) -> Bool {
        [.commandRefused, .mailboxUnavailable, .protocolViolation].contains(error.code)
    }

    private func changes(
        of place: WebAddress, since token: String, in book: CardBook
    ) throws(ConnectionError) -> Listing {
        var listing = Listing(isWhole: token.isEmpty, syncToken: token)
        for _ in 0..<Self.maxParts {
            let since = listing.syncToken ?? ""
            let part = try server.multiStatus("REPORT", place, depth: "0", CardNames.sync(since: since))
            // Cards that went may be among those that are not kept: the list of all does without them.
            guard token.isEmpty || !part.isCut else {
                throw ConnectionError(.protocolViolation, during: "REPORT \(place.path)", "too many changes")
            }
            let isCut = add(part, of: place, in: book, to: &listing)
            listing.syncToken = part.syncToken
            guard isCut else { return listing }
            // Else it would say the same again.
            guard let next = part.syncToken, next != since else { break }
        }
        throw ConnectionError(.protocolViolation, during: "REPORT \(place.path)", "its list has no end")
    }

    private func wholeListing(of place: WebAddress, in book: CardBook) throws(ConnectionError) -> Listing {
        var listing = Listing(isWhole: true)
        let status = try server.multiStatus("PROPFIND", place, depth: "1", Self.listed)
        guard !add(status, of: place, in: book, to: &listing) else {
            throw ConnectionError(.unsupported, during: "PROPFIND \(place.path)", "it does not list all cards")
        }
        return listing
    }

    /// Whether the server has left some out (RFC 6578 §3.6).
    private func add(
        _ status: MultiStatus, of place: WebAddress, in book: CardBook, to listing: inout Listing
    ) -> Bool {
        var isCut = false
        for resource in status.resources {
            guard let path = place.resolving(resource.reference)?.path else { continue }
            if Self.isSame(path, place.path) {
                isCut = isCut || resource.status == Self.cut
            } else if let status = resource.status, status >= 400 {
                listing.removed.append(path)
            } else if !resource.isOfType(.dav("collection")), listing.present.count < CardBook.maxCards {
                listing.present.append(path)
                let tag = resource.text(.dav("getetag"))
                listing.tags[path] = tag
                if tag == nil || book.cards[path]?.entityTag != tag { listing.changed.append(path) }
            }
        }
        return isCut
    }

    /// 507, with which a server tells that there is more.
    private static let cut = 507

    /// Whether two paths of a collection are the same; some servers leave out the slash at the end.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        func trimmed(_ path: String) -> Substring { path.hasSuffix("/") ? path.dropLast() : path[...] }
        return trimmed(one) == trimmed(other)
    }

    // MARK: Cards

    private func read(
        _ paths: [String], _ tags: [String: String], of place: WebAddress, into book: inout CardBook
    ) throws(ConnectionError) {
        let room = CardBook.maxCards - book.cards.count
        let (known, new) = (paths.filter { book.cards[$0] != nil }, paths.filter { book.cards[$0] == nil })
        var (rest, count, hasMultiget) = ((known + new.prefix(max(room, 0)))[...], Self.batchCount, true)
        while !rest.isEmpty {
            let batch = rest.prefix(hasMultiget ? count : 1)
            do {
                if hasMultiget {
                    try multiget(Array(batch), of: place, into: &book)
                } else if let path = batch.first {
                    try get(path, of: place, into: &book)
                }
                rest = rest.dropFirst(batch.count)
            } catch  where error.code == .unsupported {
                // The answer is too long.
                if batch.count > 1 {
                    count = batch.count / 2
                } else if let path = batch.first {
                    book.cards[path] = CardBook.Card(entityTag: tags[path], text: [])
                    rest = rest.dropFirst()
                }
            } catch  where hasMultiget && Self.isRefusal(error) {
                hasMultiget = false
            }
        }
    }

    private func multiget(_ paths: [String], of place: WebAddress, into book: inout CardBook) throws(ConnectionError) {
        let status = try server.multiStatus("REPORT", place, depth: "0", CardNames.multiget(paths))
        var missing = Set(paths)
        for resource in status.resources {
            guard let path = place.resolving(resource.reference)?.path, missing.contains(path) else { continue }
            if let status = resource.status, status == 404 || status == 410 {
                missing.remove(path)
                book.cards[path] = nil
            } else if let text = resource.text(CardNames.card("address-data")) {
                missing.remove(path)
                book.cards[path] = CardBook.Card(
                    entityTag: resource.text(.dav("getetag")), text: CardText.cleaned(text))
            }
        }
        // Some servers write paths in another way here than in their list.
        for path in paths where missing.contains(path) { try get(path, of: place, into: &book) }
    }

    private func get(_ path: String, of place: WebAddress, into book: inout CardBook) throws(ConnectionError) {
        guard let address = place.resolving(path), let card = try server.card(at: address) else {
            book.cards[path] = nil
            return
        }
        book.cards[path] = CardBook.Card(
            entityTag: card.entityTag, text: CardText.cleaned(String(decoding: card.text, as: UTF8.self)))
    }
}
