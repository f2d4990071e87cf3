import ArgumentParser
import FundCore
import FundStore
import Terminal

struct ContactRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete contacts of a person.",
        discussion: """
            The person can restore them on the pages for as long as deleted files are kept.

            Example:
              fundmail contact remove ann@example.com 12 13
            """)

    @OptionGroup var choice: UserChoice
    @Argument(help: "The numbers of the contacts, as `list` shows them.") var ids: [Contact.ID]
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        let user = try await choice.user(in: store)
        let removed = Set(
            try await store.contacts.acting(as: Workspace.actor).deleteContacts(Array(Set(ids)), of: user.id))
        for id in ids { try Console.line(removed.contains(id) ? "\(id): deleted." : "\(id): there is none.") }
        try store.close()
        let missing = ids.filter { !removed.contains($0) }
        guard missing.isEmpty else {
            let count = missing.count == 1 ? "one of these contacts" : "\(missing.count) of these contacts"
            throw CommandError(.refused, "\(TerminalText.clean(user.email)) does not have \(count).")
        }
    }
}
