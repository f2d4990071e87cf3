/// The first cards of a file of vCard (RFC 6350, and versions 2.1 and 3).
package struct CardFields: Sendable, Hashable, Codable {
    /// One person, or one organisation.
    package struct Card: Sendable, Hashable, Codable {
        package var name: String?
        package var organisation: String?
        /// What the person is there: TITLE, or ROLE.
        package var role: String?
        package var telephones: [Entry] = []
        package var mails: [Entry] = []
        /// Each on one line.
        package var addresses: [Entry] = []
        package var sites: [String] = []
        /// `1980-11-26`, or as the file says it.
        package var birthday: String?
        package var note: String?

        package init() {}
    }

    /// A number or an address, with what it is for.
    package struct Entry: Sendable, Hashable, Codable {
        package var value: String
        /// Some of `work`, `home`, `cell`, `fax`.
        package var types: [String]

        package init(value: String, types: [String] = []) {
            self.value = value
            self.types = types
        }
    }

    package var cards: [Card]
    package var hasMore: Bool

    package init(cards: [Card], hasMore: Bool) {
        self.cards = cards
        self.hasMore = hasMore
    }
}
