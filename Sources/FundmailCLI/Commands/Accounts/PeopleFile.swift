import FundCore
import FundStore
import Terminal

/// A table of people on the disk, and its way into a store.
struct PeopleFile {
    private static let maxFileBytes = 64 << 20

    /// A line of the file, and what became of it.
    struct Line {
        var number: Int
        var email: String
        /// `added`, `updated` or `unchanged`.
        var word: String
    }

    private let path: String
    private let table: UserTable

    /// Throws `CommandError` for what is no such table; single lines may be wrong all the same. `-` is standard input.
    init(_ path: String) throws {
        let bytes: [UInt8]
        do { bytes = try WholeFile.read(path, maxBytes: Self.maxFileBytes) } catch {
            throw CommandError(.input, "\(path) cannot be read: \(error.problem).")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.input, "\(path) is not text in UTF-8; save it as \"CSV UTF-8\".")
        }
        do { table = try UserTable(text) } catch {
            throw CommandError(.input, "\(path):\(error.line): \(error.problem).")
        }
        self.path = path
    }

    /// Registers all people or none: names every wrong line on standard error and throws `CommandError`.
    func take(into store: FundStore, dryRun: Bool = false) async throws -> [Line] {
        for title in table.ignoredColumns {
            Console.warn("the column \"\(title)\" is not used")
        }
        var mistakes = table.mistakes
        // With mistakes it is only rehearsed, to find what the store would refuse as well.
        let keeping: UserImportKeeping = dryRun || !mistakes.isEmpty ? .nothing : .allOrNothing
        let results = try await store.administration.importUsers(
            table.lines.map(\.row), actor: Workspace.actor, keeping: keeping)
        var lines: [Line] = []
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
            lines.append(Line(number: line.number, email: line.row.email, word: word))
        }
        guard mistakes.isEmpty else {
            for mistake in mistakes.sorted(by: { $0.line < $1.line }) {
                Console.warn("\(path):\(mistake.line): \(mistake.problem)")
            }
            let count = mistakes.count == 1 ? "1 line is" : "\(mistakes.count) lines are"
            throw CommandError(.input, "\(count) wrong and nothing was changed; mend the file and run it again.")
        }
        return lines
    }
}
