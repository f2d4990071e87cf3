import ArgumentParser
import FundCore
import FundStore

struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage", abstract: "Get every message and file out of a log without its database.",
        discussion: """
            For when the database is lost. Messages become mail/*.eml, named by time and hash: replay them into a new \
            store. Files become files/*, named by hash and the name that they had. What is damaged is named and \
            left out. Run it again to go on after it was broken off.

            Example:
              fundmail salvage /var/lib/fundmail/store/log --to /tmp/salvaged

            Exit status: 0 when all was whole, 65 when something is damaged or there is no log.
            """)

    @Argument(help: "The folder of the segments, or the store that it is in.") var log: String
    @Option(help: ArgumentHelp("The folder; it is made if it is not there.", valueName: "dir"))
    var to: String
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let report: SalvageReport
        do { report = try Salvage.run(log: log, to: to) } catch let error as StoreError where error.code == .notFound {
            throw CommandError(.input, TerminalText.clean("Nothing to salvage: \(error.detail)."))
        }
        for damage in report.damages { Console.error("fundmail: \(damage)\n") }
        if json {
            try Console.write(
                JSONWriter.line { line in
                    line.field("messages", report.messages)
                    line.field("files", report.files)
                    line.field("given_up", report.dead)
                    line.field("damages", report.damages.count)
                })
        } else {
            try Console.line(
                TerminalText.clean("Salvaged \(report.messages) messages and \(report.files) files to \(to)."))
        }
        guard report.damages.isEmpty else { throw ExitCode(ExitStatus.input.rawValue) }
    }
}
