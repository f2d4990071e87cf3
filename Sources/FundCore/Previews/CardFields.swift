/// The first cards of a file of vCard (RFC 6350, and versions 2.1 and 3).
package struct CardFields: Sendable, Hashable, Codable {
    /// One person, or one organisation.
    package struct Card: Sendable, Hashable, Codable {
        /// FN, else the parts of N in the order in which they are spoken.
        package var name: String?
        /// ORG, with its units.
        package var organisation: String?
        /// Position of the person: TITLE, or ROLE.
        package var role: String?
        /// The first telephone numbers in the file; of each of these four kinds `FieldLimits.maxEntries` at most.
        package var telephones: [Entry] = []
        /// Addresses as they are written: nothing has proven them.
        package var mails: [Entry] = []
        /// Each on one line.
        package var addresses: [Entry] = []
        /// URL, as it is written: of any scheme.
        package var sites: [String] = []
        /// `1980-11-26`, or as the file says it.
        package var birthday: String?
        /// In lines; one that is too long is cut and ends with `…`.
        package var note: String?

        package init() {}
    }

    /// The purpose of a number or an address; others are not told.
    package enum Purpose: String, FieldWord { case cell, fax, home, work }

    /// A number or an address, with what it is for.
    package struct Entry: Sendable, Hashable, Codable {
        /// Without the scheme (`tel:`, `mailto:`).
        package var value: String
        /// In the order of the alphabet.
        package var types: [Purpose]

        package init(value: String, types: [Purpose] = []) {
            self.value = value
            self.types = types
        }
    }

    /// In the order of the file, `FieldLimits.maxCards` at most.
    package var cards: [Card]
    /// Cards, or texts of those that are here, are left out.
    package var hasMore: Bool

    package init(cards: [Card], hasMore: Bool) {
        self.cards = cards
        self.hasMore = hasMore
    }
}
