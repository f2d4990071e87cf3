internal import FundCore

extension JSONWriter {
    mutating func field(_ contact: Contact) {
        field("id", contact.id)
        field("uid", contact.uid)
        field("revision", contact.revision)
        field("created_at", contact.createdAt)
        field("changed_at", contact.changedAt)
        field(contact.card)
    }

    mutating func field(_ person: KnownAddress) {
        field("address", person.address)
        field("name", person.name)
        field("seen_count", person.seenCount)
        field("seen_at", person.seenAt)
        field("used_count", person.usedCount)
        field("used_at", person.usedAt)
    }

    mutating func field(_ offer: PeopleIndex.Offer) {
        field("source", offer.source.rawValue)
        field("name", offer.name)
        field("detail", offer.detail)
        field("addresses", offer.addresses)
        field("text", offer.text)
    }

    /// The outcome of an imported contact.
    mutating func field(_ outcome: ContactMerger.Outcome) {
        switch outcome {
        case .added: field("outcome", "added")
        case .merged(let name):
            field("outcome", "merged")
            field("into", name)
        case .unchanged(let name):
            field("outcome", "unchanged")
            field("into", name)
        case .refused(let problem):
            field("outcome", "refused")
            field("problem", problem.kind.rawValue)
            field("detail", problem.text)
        }
    }
}
