import ArgumentParser
import FundCore
import Terminal

struct ImportFolderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folder", abstract: "Take in a folder with all that is below it.",
        discussion: """
            Without --fund each folder in PATH goes into the fund of its name, which is made where it is missing. \
            Files keep their names and modification times; empty folders are made, too. A file that stands under the \
            same path with the same content stays, so running the same command twice is harmless, and the second time \
            goes on where the first was interrupted. Another content under that name is never replaced, unless \
            --replace-older is given; then the former one goes to the trash.

            Symbolic links are not followed. Files that systems keep for themselves (.DS_Store, Thumbs.db, \
            desktop.ini, ._*, ~$*, .~lock.*) are passed over.

            Exit status: 0 all was imported, or was there; 65 something was not, and is named; 130 and 143 it was \
            interrupted: run it again for the rest.

            Examples:
              fundmail import folder /srv/shares/ann --owner ann@example.com --dry-run
              fundmail import folder /srv/shares/alpha --owner ann@example.com --fund "Alpha Fund"
            """)

    @Argument(help: ArgumentHelp("The folder.", valueName: "path")) var path: String
    @Option(help: ArgumentHelp("The fund for all of it, which is there.", valueName: "name")) var fund: String?
    @Flag(help: "Replace files that are there when those in the folder are newer.") var replaceOlder = false
    @OptionGroup var options: ImportOptions

    func run() async throws {
        let folder = try ImportSession.folder(path)
        let session = try await ImportSession(options)
        let fund: Fund? = if let fund { try await session.fund(named: fund) } else { nil }
        let run = FolderImport(
            shelf: session.shelf, output: session.output, window: ImportWindow(session.output.take),
            replacesOlder: replaceOlder,
            store: try? SourceFolder(path: session.storePath).identity, shouldStop: session.shouldStop)
        try await session.run("folder \(path)") {
            do {
                if let fund { try await run.run(folder, into: fund) } else { try await run.run(folder) }
            } catch let refusal as ImportRefusal {
                throw CommandError(.input, "\(path) cannot be read: \(refusal.reason).")
            }
        }
    }
}
