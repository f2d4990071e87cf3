internal import FundCore

/// Contacts in the templates of pages.
enum ContactView {
    /// A line of a list.
    static func row(_ contact: Contact) -> PageModel {
        var row = row(contact.card)
        row["href"] = "\(PageRoute.contactsPath)/\(contact.id)"
        row["key"] = "contact-\(contact.id)"
        return row
    }

    static func row(_ card: ContactCard) -> PageModel {
        let address = card.addresses.first?.value
        let work = [card.title, card.department, card.organisation].filter { !$0.isEmpty && $0 != card.name }
        return [
            "name": card.name, "face": Initials.text(of: card.name), "faceHue": Initials.hue(of: card.name),
            "address": address.flatMap { $0 == card.name ? nil : $0 }.orAbsent,
            "work": (work.isEmpty ? nil : work.joined(separator: ", ")).orAbsent,
            "phone": (card.phones.first?.value).orAbsent, "href": false, "key": false,
        ]
    }

    /// All that is known of a contact.
    static func page(_ card: ContactCard, _ words: Words) -> PageModel {
        func entries(_ entries: [ContactEntry], _ href: (String) -> String) -> [PageModel] {
            entries.map { entry in
                [
                    "text": entry.value, "href": href(entry.value),
                    "kind": entry.kind.map { words("contact.kind.\($0.rawValue)") }.orAbsent,
                ]
            }
        }
        return [
            "name": card.name, "face": Initials.text(of: card.name), "faceHue": Initials.hue(of: card.name),
            "organisation": text(card.organisation, besides: card.name), "department": text(card.department),
            "jobTitle": text(card.title), "note": text(card.note),
            "addresses": entries(card.addresses) {
                "/library/send" + PageQueryText.text([("to", Addressee(name: card.name, address: $0)?.text ?? $0)])
            },
            "hasAddresses": !card.addresses.isEmpty,
            "phones": entries(card.phones) { "tel:" + $0.filter { $0.isASCII && ($0.isNumber || $0 == "+") } },
            "hasPhones": !card.phones.isEmpty,
            "groups": card.groups.map { name -> PageModel in
                ["name": name, "href": PageRoute.contactsPath + PageQueryText.text([("group", name)])]
            },
            "hasGroups": !card.groups.isEmpty,
        ]
    }

    private static func text(_ text: String, besides other: String = "") -> PageValue {
        (text.isEmpty || text == other ? nil : text).orAbsent
    }
}
