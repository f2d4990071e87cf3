internal import FundHTTP
internal import FundCore

/// The form of a contact: fields `name`, `address-0`, `address-0-kind` and so on. A button of it gives further lines,
/// without scripts, too.
struct ContactForm {
    /// Empty lines of a form that are there from the beginning.
    private static let spareLines = 1

    var card: ContactCard
    /// Lines for addresses and for numbers, which may be empty.
    private var addressLines: Int
    private var phoneLines: Int

    init(_ card: ContactCard) {
        self.card = card
        addressLines = card.addresses.count + Self.spareLines
        phoneLines = card.phones.count + Self.spareLines
    }

    /// The form as it was typed.
    init(_ form: FieldText) {
        let (addresses, phones) = (Self.entries("address", form), Self.entries("phone", form))
        card = ContactCard(
            name: form["name"] ?? "", organisation: form["organisation"] ?? "", department: form["department"] ?? "",
            title: form["jobtitle"] ?? "", addresses: addresses.filter { !$0.value.trimmed.isEmpty },
            phones: phones.filter { !$0.value.trimmed.isEmpty },
            groups: (form["groups"] ?? "").split { $0 == "," || $0 == "，" || $0 == ";" }.map(\.trimmed),
            note: form["note"] ?? "")
        (addressLines, phoneLines) = (max(addresses.count, 1), max(phones.count, 1))
    }

    /// One more empty line, as a button of the form asks.
    mutating func add(_ what: String?) {
        if what == "address" { addressLines += 1 }
        if what == "phone" { phoneLines += 1 }
    }

    private static func entries(_ name: String, _ form: FieldText) -> [ContactEntry] {
        (0..<ContactLimits.maxEntries).compactMap { index in
            form["\(name)-\(index)"].map {
                ContactEntry($0, form["\(name)-\(index)-kind"].flatMap(ContactEntry.Kind.init))
            }
        }
    }

    /// For the template `contactform`.
    func model(_ words: Words) -> PageModel {
        [
            "name": card.name, "organisation": card.organisation, "department": card.department,
            "jobTitle": card.title, "groupNames": card.groups.joined(separator: ", "), "note": card.note,
            "addresses": Self.lines("address", card.addresses, addressLines, [nil, .work, .home], words),
            "phones": Self.lines("phone", card.phones, phoneLines, [nil, .cell, .work, .home, .fax], words),
            "canAddAddress": addressLines < ContactLimits.maxEntries,
            "canAddPhone": phoneLines < ContactLimits.maxEntries,
        ]
    }

    private static func lines(
        _ name: String, _ entries: [ContactEntry], _ count: Int, _ kinds: [ContactEntry.Kind?], _ words: Words
    ) -> [PageModel] {
        (0..<min(count, ContactLimits.maxEntries)).map { index in
            let entry = entries.indices.contains(index) ? entries[index] : ContactEntry("")
            let offered = kinds.contains(entry.kind) ? kinds : kinds + [entry.kind]
            return [
                "field": "\(name)-\(index)", "value": entry.value, "label": words("contact.\(name).n", "\(index + 1)"),
                "kindLabel": words("contact.kind.n", "\(index + 1)"),
                "kinds": offered.map { kind in
                    PageModel.choice(
                        kind?.rawValue ?? "", words("contact.kind.\(kind?.rawValue ?? "none")"),
                        isChosen: kind == entry.kind)
                },
            ]
        }
    }
}
