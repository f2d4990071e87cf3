import ArgumentParser
import FundCore
import FundStore
import Terminal

struct ContactListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the contacts of a person, by name.",
        discussion: """
            --vcard prints them as one file of vCard 4.0, which other programs and `import` read.

            Examples:
              fundmail contact list ann@example.com --find archer
              fundmail contact list ann@example.com --vcard > contacts.vcf
            """)

    @OptionGroup var choice: UserChoice
    @Option(help: ArgumentHelp("Only those with words that begin so.", valueName: "words")) var find: String?
    @Option(help: ArgumentHelp("Only those of this group.", valueName: "name")) var group: String?
    @Flag(help: "Print one JSON object a contact.") var json = false
    @Flag(help: "Print vCard 4.0.") var vcard = false
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard !json || !vcard else { throw ValidationError("Give --json or --vcard, not both.") }
    }

    func run() async throws {
        let store = try Workspace(globals).openStore(.readOnly)
        let user = try await choice.user(in: store).id
        let filter = ContactFilter(words: find, group: group)
        let contacts = try await ListPage.all { try await store.contacts.contacts(filter, of: user, $0) }
        guard !vcard else {
            var writer = VCardWriter(.v4)
            for contact in contacts { writer.add(contact.card, uid: contact.uid, changedAt: contact.changedAt) }
            return try Console.write(writer.bytes)
        }
        try Listing(
            items: contacts, ifEmpty: "There is no such contact.",
            columns: [
                .number("ID"), .shrinking("NAME"), .shrinking("ADDRESSES"), .shrinking("TELEPHONES"),
                .shrinking("COMPANY"), .shrinking("GROUPS"),
            ],
            row: { contact in
                let card = contact.card
                return [
                    "\(contact.id)", card.name, card.addresses.map(\.value).joined(separator: ", "),
                    card.phones.map(\.value).joined(separator: ", "), card.organisation,
                    card.groups.joined(separator: ", "),
                ]
            },
            fields: { json, contact in
                json.field("id", contact.id.rawValue)
                json.field("uid", contact.uid)
                json.field(contact.card)
                json.field("changed_at", Clock.timestamp(contact.changedAt))
            }
        ).write(json: json)
    }
}
