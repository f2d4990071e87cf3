internal import FundCore
internal import MailConnection

/// The way from an address to an address book (RFC 6352 §7.1, RFC 6764): the address may be that of the address book
/// itself, of its user, or of the server.
struct CardDiscovery {
    private static let wellKnown = "/.well-known/carddav"
    private static let homeSet = CardNames.card("addressbook-home-set")
    private static let principal = MarkupName.dav("current-user-principal")
    private static let asked = CardNames.propfind(
        "<D:resourcetype/><D:current-user-principal/><C:addressbook-home-set/>")
    /// Address books that an error names.
    private static let maxNamed = 5

    let server: CardServer

    /// The only address book to which an address leads. Throws `unsupported` where there is none or several.
    func addressBook(from address: WebAddress) throws(ConnectionError) -> WebAddress {
        guard address.path == "/", let known = address.resolving(Self.wellKnown) else {
            return try addressBook(beginningAt: address)
        }
        do {
            return try addressBook(beginningAt: known)
        } catch  where [.mailboxUnavailable, .commandRefused, .protocolViolation].contains(error.code) {
            return try addressBook(beginningAt: address)
        }
    }

    private func addressBook(beginningAt address: WebAddress) throws(ConnectionError) -> WebAddress {
        let (first, found) = try properties(of: address)
        if first.isOfType(CardNames.card("addressbook")) { return found }
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

    private func onlyBook(in home: WebAddress) throws(ConnectionError) -> WebAddress {
        let status = try server.multiStatus(
            "PROPFIND", home, depth: "1", CardNames.propfind("<D:resourcetype/>"))
        let books = status.resources.filter { $0.isOfType(CardNames.card("addressbook")) }
            .compactMap { home.resolving($0.reference) }
        guard let book = books.first else {
            throw ConnectionError(.unsupported, during: "looking for the address book", "there is no address book")
        }
        guard books.count == 1 else {
            let named = books.prefix(Self.maxNamed).map(\.description).joined(separator: ", ")
            throw ConnectionError(
                .unsupported, during: "looking for the address book",
                "there are \(books.count) address books; name the one that is meant: \(named)")
        }
        return book
    }
}
