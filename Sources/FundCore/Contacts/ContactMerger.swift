/// Decides what becomes of imported contacts beside those that a user has: the preview of an import and the import
/// itself ask the same.
package struct ContactMerger {
    /// The result for one contact of a file.
    package enum Outcome: Sendable, Hashable {
        case added
        /// A contact of the user, by its name before, got what was new.
        case merged(into: String)
        /// A contact of the user, by its name, has all of it.
        case unchanged(String)
        case refused(InputProblem)
    }

    /// A contact that is to be written.
    package struct Entry: Sendable {
        /// Nil for one that is new.
        package var id: Contact.ID?
        package var uid: String?
        package var card: ContactCard
        package fileprivate(set) var isChanged = false
    }

    /// The contacts that the user has, and behind them the new ones.
    package private(set) var entries: [Entry]
    private var byUID: [String: Int] = [:]
    private var byAddress: [String: Int] = [:]
    private var byNumber: [String: Int] = [:]

    package init(_ contacts: [Contact]) {
        entries = contacts.map { Entry(id: $0.id, uid: $0.uid, card: $0.card) }
        // The oldest stands for an address that several have.
        for index in entries.indices.reversed() { note(index) }
    }

    /// The contacts that an import changes or adds.
    package var changes: [Entry] { entries.filter { $0.isChanged } }

    /// Takes one contact of a file in, and tells what becomes of it.
    package mutating func add(_ contact: ImportedContact) -> Outcome {
        if let problem = contact.card.problem { return .refused(problem) }
        if let index = match(of: contact) {
            let old = entries[index].card
            let card = old.merged(with: contact.card)
            guard card != old else { return .unchanged(old.name) }
            entries[index].card = card
            entries[index].isChanged = true
            note(index)
            return .merged(into: old.name)
        }
        guard entries.count < ContactLimits.maxContacts else { return .refused(ContactLimits.isFull) }
        let uid = contact.uid.flatMap { byUID[$0] == nil ? $0 : nil }
        entries.append(Entry(id: nil, uid: uid, card: contact.card, isChanged: true))
        note(entries.count - 1)
        return .added
    }

    /// The contact that is the same person: by its id, by an address, or by name and number where it has no address.
    private func match(of contact: ImportedContact) -> Int? {
        if let index = contact.uid.flatMap({ byUID[$0] }) { return index }
        for entry in contact.card.addresses { if let index = byAddress[entry.value] { return index } }
        guard contact.card.addresses.isEmpty else { return nil }
        for key in Self.numberKeys(contact.card) { if let index = byNumber[key] { return index } }
        return nil
    }

    private mutating func note(_ index: Int) {
        let entry = entries[index]
        if let uid = entry.uid { byUID[uid] = index }
        for address in entry.card.addresses { byAddress[address.value] = index }
        for key in Self.numberKeys(entry.card) { byNumber[key] = index }
    }

    /// A name with each number, and with none where there are none.
    private static func numberKeys(_ card: ContactCard) -> [String] {
        let name = ContactWords.key(of: card.name)
        guard !card.phones.isEmpty else { return card.addresses.isEmpty ? [name + "\n"] : [] }
        return card.phones.map { name + "\n" + $0.value.filter(\.isNumber).suffix(8) }
    }
}

extension ContactLimits {
    package static let isFull = InputProblem(
        .tooManyContacts, "one may have \(maxContacts) contacts: delete some first")
}
