import ArgumentParser
import FundCore
import FundStore

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the store, while everything runs.",
        discussion: """
            Copies the log, the database as it is at one moment, and the server's key. The next time only what is new \
            is copied into the same folder, which holds a whole store at every moment. To restore, stop everything and \
            copy the folder to where the store was, all of it: log and database belong together. It does not hold \
            fundmail.yaml and the files that this names.

            Example:
              fundmail backup --to /mnt/backup/fundmail

            Exit status: 65 when the store is damaged (all else is copied), 73 when the folder cannot be written.
            """)

    @Option(help: ArgumentHelp("The folder; it is made if it is not there.", valueName: "dir"))
    var to: String
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        let isTerminal = Console.errorIsTerminal
        let report = try await store.maintenance.backUp(to: to) { done, total in
            guard isTerminal else { return }
            Console.error("\r\u{1B}[K\(Quantity.display(bytes: done)) of \(Quantity.display(bytes: total))")
        }
        if isTerminal { Console.error("\r\u{1B}[K") }
        for damage in report.damages { Console.error("fundmail: not copied whole: \(damage)\n") }
        if json {
            try Console.write(
                JSONWriter.line { line in
                    line.field("copied_bytes", report.copiedBytes)
                    line.field("log_bytes", report.logBytes)
                    line.field("database_bytes", report.databaseBytes)
                    line.field("segments", report.segments)
                    line.field("damages", report.damages.count)
                })
        } else {
            try Console.line(TerminalText.clean(text(report)))
        }
        guard report.damages.isEmpty else {
            throw CommandError(.input, "The store is damaged: `fundmail verify` says where. All else was backed up.")
        }
    }

    private func text(_ report: BackupReport) -> String {
        let all = Quantity.display(bytes: report.logBytes + report.databaseBytes)
        let new = Quantity.display(bytes: report.copiedBytes + report.databaseBytes)
        return "Backed up \(all) to \(to); \(new) of that had to be copied."
    }
}
