import ArgumentParser
import FundStore
import FundCore
import Terminal

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a fund as plain files.",
        discussion: """
            Existing files are never overwritten: a file with other content gets a number.

            Example:
              fundmail export Fund1 --to /tmp/fund1
            """)

    @Argument(help: "The fund's name or an alias.") var fund: String
    @Option(help: ArgumentHelp("The folder to write to; it is made if it is not there.", valueName: "dir"))
    var to: String
    @Option(help: ArgumentHelp("The fund's owner, when several people have a fund of that name.", valueName: "email"))
    var owner: String?
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore(.readOnly)
        let record = try await store.administration.onlyFund(named: fund, owner: owner)
        let report = try await store.maintenance.export(fund: record.fund.id, to: to)
        let unchanged = report.unchanged > 0 ? "; \(report.unchanged) were there already" : ""
        try Console.line(
            TerminalText.clean(
                "Wrote \(report.written) files (\(Quantity.display(bytes: report.bytes))) to \(to)\(unchanged)."))
        for name in report.quarantined {
            Console.warn("held back, malware was found in it: \(name)")
        }
        for name in report.unscanned {
            Console.warn("held back, not scanned for malware yet: \(name)")
        }
        for name in report.failed { Console.warn("not written: \(name)") }
        guard report.failed.isEmpty else {
            throw CommandError(
                .input, "Some files are damaged or missing in the store; run `fundmail verify --repair`.")
        }
    }
}
