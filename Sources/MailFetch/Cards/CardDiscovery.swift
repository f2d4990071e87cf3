internal import FundCore
internal import MailConnection

/// The way from an address to an address book (RFC 6352 §7.1, RFC 6764): the address may be that of the address book
/// itself, of its user, or of the server.
struct CardDiscovery {
    private static let wellKnown = "/.well-known/carddav"
    private static let homeSet = CardNames.card("addressbook-home-set")
    private static let principal = MarkupName.dav("current-user-principal")
    /// The properties that tell the state of an address book.
    private static let state = "<D:resourcetype/><D:sync-token/><S:getctag/>"
    private static let asked = CardNames.propfind(state + "<D:current-user-principal/><C:addressbook-home-set/>")
    /// Address books that an error names.
    private static let maxNamed = 5

    let server: CardServer

    /// An address book and its properties.
    struct Found {
        var place: CardPlace
        var state: MultiStatus.Resource
    }

    /// The address book at a place where it was found before. One that was found alone in its home is looked for there
    /// again, for the same one request: another may be there by now, and which one is meant is not known any more.
    /// Throws `mailboxUnavailable` or `unsupported` where it is gone, and `unsupported` where there are several.
    func addressBook(at place: CardPlace) throws(ConnectionError) -> Found {
        if let home = place.home { return try onlyBook(in: home) }
        let status = try server.multiStatus("PROPFIND", place.address, depth: "0", CardNames.propfind(Self.state))
        guard let first = status.resources.first, first.isOfType(CardNames.card("addressbook")) else {
            throw ConnectionError(
                .mailboxUnavailable, during: "PROPFIND \(place.address.path)", "it is no address book")
        }
        return Found(place: place, state: first)
    }

    /// The only address book to which an address leads. Throws `unsupported` where there is none or several.
    func addressBook(from address: WebAddress) throws(ConnectionError) -> Found {
        guard address.path == "/", let known = address.resolving(Self.wellKnown) else {
            return try addressBook(beginningAt: address)
        }
        do {
            return try addressBook(beginningAt: known)
        } catch  where [.mailboxUnavailable, .commandRefused, .protocolViolation].contains(error.code) {
            return try addressBook(beginningAt: address)
        }
    }

    private func addressBook(beginningAt address: WebAddress) throws(ConnectionError) -> Found {
        let (first, found) = try properties(of: address)
        if first.isOfType(CardNames.card("addressbook")) {
            return Found(place: CardPlace(address: found), state: first)
        }
        var home = first.reference(Self.homeSet)
        if home == nil, let reference = first.reference(Self.principal), let principal = found.resolving(reference) {
            home = try properties(of: principal).resource.reference(Self.homeSet)
        }
        guard let home = home.flatMap(found.resolving) else {
            throw ConnectionError(.unsupported, during: "looking for the address book", "there is no address book")
        }
        return try onlyBook(in: home)
    }

    /// The resource at an address, and where it is: a server may add a slash.
    private func properties(
        of address: WebAddress
    ) throws(ConnectionError) -> (resource: MultiStatus.Resource, address: WebAddress) {
        let status = try server.multiStatus("PROPFIND", address, depth: "0", Self.asked)
        guard let resource = status.resources.first else {
            throw ConnectionError(.protocolViolation, during: "PROPFIND \(address.path)", "its answer is empty")
        }
        return (resource, address.resolving(resource.reference) ?? address)
    }

    private func onlyBook(in home: WebAddress) throws(ConnectionError) -> Found {
        let status = try server.multiStatus("PROPFIND", home, depth: "1", CardNames.propfind(Self.state))
        var books: [Found] = []
        for resource in status.resources where resource.isOfType(CardNames.card("addressbook")) {
            guard let address = home.resolving(resource.reference) else { continue }
            books.append(Found(place: CardPlace(address: address, home: home), state: resource))
        }
        guard let book = books.first else {
            throw ConnectionError(.unsupported, during: "looking for the address book", "there is no address book")
        }
        guard books.count == 1 else {
            let named = books.prefix(Self.maxNamed).map(\.place.address.description).joined(separator: ", ")
            throw ConnectionError(
                .unsupported, during: "looking for the address book",
                "there are \(books.count) address books; name the one that is meant: \(named)")
        }
        return book
    }
}
