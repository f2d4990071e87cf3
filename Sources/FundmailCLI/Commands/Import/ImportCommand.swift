import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take in files from where people have them so far.",
        discussion: """
            Mail of other programs comes by `fundmail replay`, people by `fundmail user import`, contacts by \
            `fundmail contact import`.
            """,
        subcommands: [ImportFolderCommand.self, ImportPaperlessCommand.self])
}
