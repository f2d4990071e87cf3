import ArgumentParser
import FundStore
import Terminal

struct UpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Bring the store up to date after an update of the program.",
        discussion: """
            Every command that writes brings the store up to date by itself; this one does nothing else. Make a backup \
            before: an older version refuses the store from then on. On a full disk the store's reserve is used first.

            Example:
              fundmail update

            Exit status: 73 when the disk has no room for it, 75 when a process of the older version still runs.
            """)

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        try workspace.openStore(.existing).close()
        try Console.line("The store in \(workspace.configuration.store) is up to date.")
    }
}
