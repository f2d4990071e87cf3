import ArgumentParser

/// `drive`: the cloud stores of people.
struct DriveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive", abstract: "People's drives (cloud stores): which there are, and removing one.",
        discussion: """
            People add drives on the page Drives. Here an administrator sees which of them fail, and removes one. What \
            a drive holds stays in its store.

            Examples:
              fundmail drive list --failing
              fundmail drive remove 12
            """,
        subcommands: [DriveListCommand.self, DriveRemoveCommand.self])
}
