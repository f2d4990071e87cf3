import ArgumentParser
import FundCore
import FundStore
import Terminal

struct ContactAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a contact to a person's list.",
        discussion: """
            Needs a name, an address or a telephone number; without a name the company or the address is taken.

            Example:
              fundmail contact add ann@example.com --name "Bob Baker" --address bob@corp.example --group Sales
            """)

    @OptionGroup var choice: UserChoice
    @Option(help: "The name as it is shown.") var name = ""
    @Option(help: ArgumentHelp("An e-mail address; may be repeated, the first is written to.", valueName: "email"))
    var address: [String] = []
    @Option(help: ArgumentHelp("A telephone number; may be repeated.", valueName: "number"))
    var phone: [String] = []
    @Option(help: ArgumentHelp("The company or organisation.", valueName: "name")) var company = ""
    @Option(help: ArgumentHelp("The department in it.", valueName: "name")) var department = ""
    @Option(help: ArgumentHelp("The position.", valueName: "text")) var position = ""
    @Option(help: ArgumentHelp("A group; may be repeated.", valueName: "name")) var group: [String] = []
    @Option(help: ArgumentHelp("A note.", valueName: "text")) var note = ""
    @Flag(help: "Print the contact's id as JSON.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        let user = try await choice.user(in: store)
        let card = ContactCard(
            name: name, organisation: company, department: department, title: position,
            addresses: address.map { ContactEntry($0) }, phones: phone.map { ContactEntry($0) }, groups: group,
            note: note)
        let contact = try await store.contacts.acting(as: Workspace.actor).addContact(card, of: user.id)
        if json {
            try Console.write(
                JSONWriter.line { line in
                    line.field("id", contact.id.rawValue)
                    line.field("name", contact.card.name)
                })
        } else {
            try Console.line(
                TerminalText.clean("Added \(contact.card.name) to the contacts of \(user.email) (\(contact.id))."))
        }
        try store.close()
    }
}
