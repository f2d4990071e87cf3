import ArgumentParser
import FundStore
import FundCore

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

    private static let maxFileBytes = 64 << 20

    @Argument(help: ArgumentHelp("The table; - is standard input.", valueName: "file.csv"))
    var file: String
    @Flag(help: "Say what would happen; change nothing.")
    var dryRun = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        let table = try read()
        for title in table.ignoredColumns {
            Console.error("fundmail: \(TerminalText.clean("the column \"\(title)\" is not used"))\n")
        }
        var mistakes = table.mistakes
        // With mistakes it is only rehearsed, to find what the store would refuse as well.
        let keeping: UserImportKeeping = dryRun || !mistakes.isEmpty ? .nothing : .allOrNothing
        let results = try await store.administration.importUsers(
            table.lines.map(\.row), actor: Workspace.actor, keeping: keeping)
        var counts: [String: Int] = [:]
        var text = ""
        for (line, result) in zip(table.lines, results) {
            let word: String
            switch result {
            case .added: word = "added"
            case .updated: word = "updated"
            case .unchanged: word = "unchanged"
            case .invalid(let problem):
                mistakes.append(UserTable.Mistake(line: line.number, problem: "\(line.row.email): \(problem)"))
                continue
            }
            counts[word, default: 0] += 1
            text += TerminalText.clean("line \(line.number): \(line.row.email): \(word)") + "\n"
        }
        guard mistakes.isEmpty else {
            for mistake in mistakes.sorted(by: { $0.line < $1.line }) {
                Console.error(TerminalText.clean("fundmail: \(file):\(mistake.line): \(mistake.problem)") + "\n")
            }
            let lines = mistakes.count == 1 ? "1 line is" : "\(mistakes.count) lines are"
            throw CommandError(.input, "\(lines) wrong and nothing was changed; mend the file and run it again.")
        }
        let summary = ["added", "updated", "unchanged"].map { "\(counts[$0] ?? 0) \($0)" }.joined(separator: ", ")
        try Console.write(text + (dryRun ? "Nothing was changed. It would be: \(summary).\n" : "\(summary).\n"))
        try store.close()
    }

    private func read() throws -> UserTable {
        let bytes: [UInt8]
        do { bytes = try WholeFile.read(file, maxBytes: Self.maxFileBytes) } catch {
            throw CommandError(.input, "\(file) cannot be read: \(error.problem).")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.input, "\(file) is not text in UTF-8; save it as \"CSV UTF-8\".")
        }
        do { return try UserTable(text) } catch {
            throw CommandError(.input, "\(file):\(error.line): \(error.problem).")
        }
    }
}
