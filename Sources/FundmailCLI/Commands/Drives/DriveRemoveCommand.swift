import ArgumentParser
import FundCore
import FundStore
import Terminal

struct DriveRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget drives, their secrets and their transfers.",
        discussion: """
            What is in the store stays there, and files that came from it stay in their funds.

            Example:
              fundmail drive remove 12 13
            """)

    @Argument(help: "The numbers of the drives, as `list` shows them.") var ids: [Drive.ID]
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        for id in ids {
            let owned = try await store.drives.removeDrive(id, actor: Workspace.actor)
            try Console.line(TerminalText.clean("Removed the drive \(owned.drive.name) of \(owned.owner)."))
        }
        try store.close()
    }
}
