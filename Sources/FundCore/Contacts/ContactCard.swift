/// The facts about a person or a company in a list of contacts.
package struct ContactCard: Sendable, Hashable {
    /// The name as it is shown. `cleaned` fills it from the rest where it is empty.
    package var name: String
    package var organisation: String
    /// Units of the organisation.
    package var department: String
    package var title: String
    /// The first one is the one that mail is written to.
    package var addresses: [ContactEntry]
    package var phones: [ContactEntry]
    package var groups: [String]
    /// May have several lines.
    package var note: String

    package init(
        name: String = "", organisation: String = "", department: String = "", title: String = "",
        addresses: [ContactEntry] = [], phones: [ContactEntry] = [], groups: [String] = [], note: String = ""
    ) {
        self.name = name
        self.organisation = organisation
        self.department = department
        self.title = title
        self.addresses = addresses
        self.phones = phones
        self.groups = groups
        self.note = note
    }

    private static var lines: [WritableKeyPath<ContactCard, String>] {
        [\.name, \.organisation, \.department, \.title]
    }

    /// The card as it is kept: no controls and no empty lines, addresses in the form in which they are compared, each
    /// entry once, and a name.
    package var cleaned: ContactCard {
        var card = self
        for line in Self.lines { card[keyPath: line] = Self.line(card[keyPath: line]) }
        card.addresses = Self.entries(addresses) { EmailAddress($0)?.description ?? $0 }
        card.phones = Self.entries(phones) { $0 }
        var seen: Set<String> = []
        card.groups = groups.map(Self.line).filter { !$0.isEmpty && seen.insert($0.caseFolded).inserted }
        card.note = Self.text(note)
        if !card.name.hasVisibleScalar {
            card.name = card.organisation.isEmpty ? card.addresses.first?.value ?? "" : card.organisation
            if card.name.isEmpty { card.name = card.phones.first?.value ?? "" }
        }
        return card
    }

    /// The reason for which a cleaned card cannot be kept; nil for one that can.
    package var problem: InputProblem? {
        guard name.hasVisibleScalar else {
            return InputProblem(.contactEmpty, "a contact needs a name, an address or a telephone number")
        }
        if let wrong = addresses.first(where: { EmailAddress($0.value) == nil }) {
            return InputProblem(.contactAddress, "\(wrong.value.prefix(bytes: 100)) is no e-mail address")
        }
        let lines = Self.lines.map { self[keyPath: $0] } + (addresses + phones).map(\.value) + groups
        let isLong = lines.contains { $0.utf8.count > ContactLimits.maxLineBytes }
        let hasMany = [addresses.count, phones.count, groups.count].contains { $0 > ContactLimits.maxEntries }
        guard !isLong, !hasMany, note.utf8.count <= ContactLimits.maxNoteBytes else {
            return InputProblem(
                .contactTooLong,
                "a line of a contact may have \(ContactLimits.maxLineBytes) bytes, its note "
                    + "\(ContactLimits.maxNoteBytes), and it may have \(ContactLimits.maxEntries) addresses, numbers "
                    + "and groups each")
        }
        return nil
    }

    private static func line(_ text: String) -> String { text.streamSafe.label.trimmed }

    /// A text of several lines, whose ends are LF, without other controls.
    private static func text(_ text: String) -> String {
        let lines = text.streamSafe.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false).map { $0.replacing("\t", with: " ") }
        return lines.map { String($0).label }.joined(separator: "\n").trimmed
    }

    private static func entries(_ entries: [ContactEntry], _ form: (String) -> String) -> [ContactEntry] {
        entries.reduce(into: []) { kept, entry in
            let entry = ContactEntry(form(line(entry.value)), entry.kind)
            if !entry.value.isEmpty, !kept.contains(where: entry.isSame) { kept.append(entry) }
        }
    }
}

extension ContactCard {
    /// The card with what another one of the same person says besides: its further addresses, numbers and groups, and
    /// lines that are empty here. What would be too much is left out.
    package func merged(with other: ContactCard) -> ContactCard {
        var card = self
        for line in Self.lines where card[keyPath: line].isEmpty { card[keyPath: line] = other[keyPath: line] }
        // A name that was made of an address gives way to one that a person wrote.
        if addresses.contains(where: { $0.value == name }), !other.addresses.contains(where: { $0.value == other.name })
        {
            card.name = other.name
        }
        card.addresses = Self.joined(addresses, other.addresses)
        card.phones = Self.joined(phones, other.phones)
        for group in other.groups where !card.groups.contains(where: { $0.caseFolded == group.caseFolded }) {
            if card.groups.count < ContactLimits.maxEntries { card.groups.append(group) }
        }
        if card.note.isEmpty { card.note = other.note }
        return card
    }

    private static func joined(_ first: [ContactEntry], _ second: [ContactEntry]) -> [ContactEntry] {
        Array(
            (first + second.filter { entry in !first.contains(where: entry.isSame) }).prefix(ContactLimits.maxEntries))
    }
}
