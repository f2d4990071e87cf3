import ArgumentParser
import FundStore
import Glibc
import FundCore
import Terminal

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a configuration and an empty store.",
        discussion: """
            Writes DIR/fundmail.yaml, with every setting explained, and DIR/store. Existing ones are left as they are.

            With --bytes, segments of the log that are full are put into a bucket of an S3-compatible store, as \
            `fundmail bucket` says.

            --database keeps the rows of the store in an empty database of PostgreSQL, version 15 or later; mail and \
            files stay in DIR/store, whose places.json names the database. The password is no part of the address: it \
            stands in ~/.pgpass, or in the file that ?passfile=FILE names.

            Examples:
              fundmail init company && cd company
              fundmail init company --bytes "s3://company-mail?endpoint=https://s3.example.com"
              fundmail init company --database postgres://fundmail@db.example.com/fundmail
            """)

    @Argument(help: ArgumentHelp("The folder to set up; it is made if it is not there.", valueName: "dir"))
    var directory = "."

    @Option(
        help: ArgumentHelp(
            "A bucket for the log: s3://BUCKET[/PREFIX]?endpoint=URL&region=NAME.", valueName: "address"))
    var bytes: String?

    @Option(help: ArgumentHelp("Keep the rows in this database of PostgreSQL.", valueName: "address"))
    var database: String?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try Self.makeFolder(directory)
        let file = globals.config ?? "\(directory)/\(Workspace.defaultConfigurationFile)"
        let isNew = try Self.writeNew(file, ConfigurationTemplate.text)
        var options = globals
        options.config = file
        let workspace = try Workspace(options)
        if let database { try FundStore.makeRows(on: database, at: workspace.configuration.store) }
        let store = try workspace.openStore(.create)
        if let bytes { try BucketCommand.add(bytes, keeping: nil, takesOver: false, to: store) }
        try store.close()
        try Console.line("\(isNew ? "Wrote" : "Left as it is:") \(file)")
        try Console.line("The store is in \(workspace.configuration.store)")
        if let database { try Console.line("Its rows are in \(database)") }
        let prefix = directory == "." ? "" : "  cd \(ShellWord.quoted(directory))\n"
        try Console.write(
            """

            Next, in a browser:
            \(prefix)  fundmail serve                # prints a code for the page /setup, which asks for the rest

            Or here:
              fundmail user add ann@example.com --name "Ann Archer"
              fundmail fund add Fund1 --owner ann@example.com
              fundmail replay PATH          # .eml files, folders, mbox files, Maildirs
              fundmail report misrouted

            """)
    }

    private static func makeFolder(_ path: String) throws {
        do {
            try DiskDirectory.makeAll(upTo: path, isPrivate: true)
        } catch {
            let problem = SystemText.of(error.code)
            throw CommandError(.cannotCreate, "The folder \(path) cannot be made: \(problem).")
        }
    }

    /// False when the file exists already.
    private static func writeNew(_ path: String, _ text: String) throws -> Bool {
        guard let file = fopen(path, "wxe") else {
            if errno == EEXIST { return false }
            throw CommandError(.cannotCreate, "\(path) cannot be written: \(SystemText.of(errno)).")
        }
        // Passwords may be written into it.
        let isPrivate = fchmod(fileno(file), 0o600) == 0
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten, isPrivate else {
            throw CommandError(.cannotCreate, "\(path) cannot be written: \(SystemText.of(errno)).")
        }
        return true
    }
}
