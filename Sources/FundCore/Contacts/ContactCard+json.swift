extension JSONWriter {
    /// Writes the members of a card, as `ContactCard` reads them.
    package mutating func field(_ card: ContactCard) {
        field("name", card.name)
        field("organisation", card.organisation)
        field("department", card.department)
        field("title", card.title)
        objects("addresses", card.addresses) { $0.field($1) }
        objects("phones", card.phones) { $0.field($1) }
        field("groups", card.groups)
        field("note", card.note)
    }

    private mutating func field(_ entry: ContactEntry) {
        field("value", entry.value)
        field("kind", entry.kind?.rawValue)
    }
}

extension ContactEntry: Decodable {
    private enum CodingKeys: String, CodingKey { case value, kind }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode(String.self, forKey: .value), try members.decodeIfPresent(Kind.self, forKey: .kind))
    }
}

extension ContactEntry.Kind: Decodable {}

extension ContactCard: Decodable {
    private enum CodingKeys: String, CodingKey {
        case name, organisation, department, title, addresses, phones, groups, note
    }

    /// Members that are missing are empty.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try members.decodeIfPresent(String.self, forKey: key) ?? "" }
        func entries(_ key: CodingKeys) throws -> [ContactEntry] {
            try members.decodeIfPresent([ContactEntry].self, forKey: key) ?? []
        }
        self.init(
            name: try text(.name), organisation: try text(.organisation), department: try text(.department),
            title: try text(.title), addresses: try entries(.addresses), phones: try entries(.phones),
            groups: try members.decodeIfPresent([String].self, forKey: .groups) ?? [], note: try text(.note))
    }
}
