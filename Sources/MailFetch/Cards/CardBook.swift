internal import FundCore
internal import MailConnection

/// The place of an address book on a server.
struct CardPlace: Sendable, Hashable {
    var address: WebAddress
    /// The collection in which it was found as the only address book; nil where its own address is configured.
    var home: WebAddress?
}

/// A copy of an address book of another server, as far as it was read. It is brought up to date by `CardClient`.
package struct CardBook: Sendable {
    /// One resource of the address book.
    struct Card: Sendable, Hashable {
        /// Nil where the server gives none: such a card is read each time.
        var entityTag: String?
        /// One or more vCards, without pictures; empty for what cannot be read as such.
        var text: [UInt8]
    }

    /// Cards that are read: one more than are kept, so that it shows when there are more.
    static let maxCards = ContactLimits.maxImported + 1

    /// Where the address book was found; nil until then.
    var place: CardPlace?
    /// Whether the last look did not find it there: the next one begins at the configured address.
    var isMissed = false
    /// By path.
    var cards: [String: Card] = [:]
    /// The state of the server that the copy is of: `sync-token` (RFC 6578 §4) and `getctag`. Nil for one that was not
    /// read to its end, or that the server does not name.
    var syncToken: String?
    var collectionTag: String?
    /// Whether the whole address book was read once.
    package internal(set) var isWhole = false

    package init() {}

    /// Whether a resource was left out: it is no vCard, or too large.
    package var hasLeftOut: Bool { cards.values.contains { $0.text.isEmpty } }

    /// All cards in one file, by path. Nil when they are longer than `ContactLimits.maxFileBytes`.
    package var file: [UInt8]? {
        guard cards.values.reduce(0, { $0 + $1.text.count }) <= ContactLimits.maxFileBytes else { return nil }
        return cards.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap(\.value.text)
    }
}
