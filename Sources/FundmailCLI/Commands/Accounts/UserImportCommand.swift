import ArgumentParser
import FundStore
import FundCore
import Terminal

struct UserImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Register people from a table.",
        discussion: """
            FILE.csv has a first line that names its columns, in any order: email, and any of name, addresses \
            (separated by ; or a space), funds (separated by ;), admin, disabled (yes or no). Comma, semicolon or tab \
            separate cells. People who are registered are brought up to date; addresses and funds are added, never \
            taken away. One wrong line, and nothing is changed.

            Example:
              fundmail user import people.csv --dry-run
            """)

    @Argument(help: ArgumentHelp("The table; - is standard input.", valueName: "file.csv"))
    var file: String
    @Flag(help: "Show what would happen; change nothing.")
    var dryRun = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        let lines = try await PeopleFile(file).take(into: store, dryRun: dryRun)
        let counts = lines.reduce(into: [String: Int]()) { $0[$1.word, default: 0] += 1 }
        let text = lines.map { TerminalText.clean("line \($0.number): \($0.email): \($0.word)") + "\n" }.joined()
        let summary = ["added", "updated", "unchanged"].map { "\(counts[$0] ?? 0) \($0)" }.joined(separator: ", ")
        try Console.write(text + (dryRun ? "Nothing was changed. It would be: \(summary).\n" : "\(summary).\n"))
        try store.close()
    }
}
