/// One recipient of a letter, and what became of it there.
package struct LetterRecipient: Sendable, Hashable {
    /// The field of the letter in which a recipient stands. The raw values stand in the database and in JSON.
    package enum Role: String, Sendable, CaseIterable {
        case to, cc
        /// The copy for the writer: in no field.
        case copy
    }

    /// The state of a letter on its way to one recipient. The raw values stand in JSON and in the pages' words.
    package enum Delivery: String, Sendable, CaseIterable {
        /// It goes out next, or is tried again.
        case waiting
        case sending
        /// The server took it.
        case sent
        /// The server took it, and a server on its way says that it is late.
        case delayed
        /// The server took it, and it came back: it did not arrive.
        case bounced
        /// The server refused it.
        case failed
        /// It went out and no answer came, or it is not known any more: it may have arrived or not.
        case uncertain
        /// It is not sent: its writer or an administrator gave it up.
        case dropped

        /// Whether a person has to look at it.
        package var isTroubled: Bool { self == .bounced || self == .failed || self == .uncertain }
        /// Whether its writer may have it sent again.
        package var canBeSentAgain: Bool { isTroubled || self == .dropped }
        /// Whether its writer may give it up.
        package var canBeGivenUp: Bool { self == .waiting || self == .failed || self == .uncertain }
    }

    /// From 1, in the order of the letter.
    package var number: Int
    package var role: Role
    package var addressee: Addressee
    package var delivery: Delivery
    /// Time at which that was so; nil for one that was not tried yet.
    package var changedAt: Timestamp?
    /// The words of a server, or the reason in English; nil for none. Hostile.
    package var note: String?
    /// Whether a person has to say that it may arrive twice before it is sent again.
    package var isAskedFirst: Bool

    package init(
        number: Int, role: Role, addressee: Addressee, delivery: Delivery, changedAt: Timestamp? = nil,
        note: String? = nil, isAskedFirst: Bool = false
    ) {
        self.number = number
        self.role = role
        self.addressee = addressee
        self.delivery = delivery
        self.changedAt = changedAt
        self.note = note
        self.isAskedFirst = isAskedFirst
    }
}
