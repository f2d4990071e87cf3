import ArgumentParser

/// `contact`: people's own lists of contacts.
struct ContactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact", abstract: "People's own lists of contacts.",
        discussion: """
            Each user has a list of their own, which the pages show to that user alone. Here an administrator looks \
            after it: to move people from another system, for example. The audit trail notes changes as the \
            administrator's. The company's people are `directory` in the configuration.

            Examples:
              fundmail contact list ann@example.com
              fundmail contact import ann@example.com contacts.vcf --dry-run
            """,
        subcommands: [
            ContactListCommand.self, ContactAddCommand.self, ContactRemoveCommand.self, ContactImportCommand.self,
        ])
}
