internal import FundHTTP
internal import FundCore

/// One card of an address book as devices get it.
struct DeviceCard: Sendable {
    /// Name of its resource, without suffix.
    var name: String
    var card: ContactCard
    var uid: String
    /// Strong (RFC 9110 §8.8.3).
    var entityTag: String
    var changedAt: Timestamp?

    /// Raised when cards are written in another way, so that devices fetch them again.
    private static let format = 1

    init(_ contact: Contact, in history: HistoryID) {
        name = "\(contact.id)"
        (card, uid, changedAt) = (contact.card, contact.uid, contact.changedAt)
        entityTag = "\"\(Self.format)-\(history.rawValue)-\(contact.revision)\""
    }

    init(_ person: CompanyDirectory.Person) {
        name = Self.name(of: person)
        (card, uid) = (person.card, person.uid)
        card.groups = person.card.directoryGroups
        entityTag = "\"\(Self.format)-\(person.digest.hex.prefix(32))\""
    }

    /// The name of a person's card, which holds nothing that a path could not.
    static func name(of person: CompanyDirectory.Person) -> String {
        String(ContentDigest.of(Array(person.uid.utf8)).hex.prefix(32))
    }

    func text(_ version: VCardWriter.Version) -> [UInt8] {
        var writer = VCardWriter(version)
        writer.add(card, uid: uid, changedAt: changedAt)
        return writer.bytes
    }
}

extension CardDAV {
    /// The history and the version of an address book, as a token for `sync-collection` and as `getctag`. Throws 404
    /// for a directory that is not there.
    func token(of book: CardPlace.Book, _ user: User) async throws -> String {
        switch book {
        case .own: return Self.token(of: try await contacts.contactRevision(of: user.id))
        case .company:
            guard let directory = directory() else { throw RequestError.notFound }
            return "urn:fundmail:directory:\(directory.version.hex)"
        }
    }

    static func token(of revision: ContactRevision) -> String {
        "urn:fundmail:contacts:\(revision.history.rawValue):\(revision.number)"
    }

    /// Nil for another text.
    static func revision(ofToken token: String) -> ContactRevision? {
        let parts = token.split(separator: ":")
        guard parts.count == 5, token.hasPrefix("urn:fundmail:contacts:"), let history = Int64(parts[3]),
            let number = Int64(parts[4])
        else { return nil }
        return ContactRevision(history: HistoryID(rawValue: history), number: number)
    }

    /// The address books that the user has.
    var books: [CardPlace.Book] { directory() == nil ? [.own] : [.own, .company] }

    func cards(of book: CardPlace.Book, _ user: User) async throws -> [DeviceCard] {
        switch book {
        case .own:
            let known = try await contacts.knownPeople(of: user.id)
            return known.contacts.map { DeviceCard($0, in: known.revision.history) }
        case .company:
            guard let directory = directory() else { throw RequestError.notFound }
            return directory.people.map { DeviceCard($0) }
        }
    }

    /// The cards with these names that are there.
    func cards(named names: [String], of book: CardPlace.Book, _ user: User) async throws -> [DeviceCard] {
        switch book {
        case .own:
            let ids = names.compactMap { name in QueryText.number(name).map { Contact.ID($0) } }
            let history = try await contacts.contactRevision(of: user.id).history
            return try await contacts.contacts(ids, of: user.id).map { DeviceCard($0, in: history) }
        case .company:
            let wanted = Set(names)
            return (directory()?.people ?? []).filter { wanted.contains(DeviceCard.name(of: $0)) }
                .map { DeviceCard($0) }
        }
    }
}
