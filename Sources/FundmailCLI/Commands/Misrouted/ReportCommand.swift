import ArgumentParser
import FundStore
import FundCore
import Terminal

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Reports for administrators.", subcommands: [ReportMisroutedCommand.self])
}

struct ReportMisroutedCommand: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable { case table, json, csv, html }

    static let configuration = CommandConfiguration(
        commandName: "misrouted", abstract: "Show mail that could not be filed, and commands that put it right.",
        discussion: """
            Misrouted and rejected mail, grouped by reason and by what one command puts right, most frequent first. Of \
            each reason the table shows twenty such causes; --full shows all, and json, csv and html tell of each \
            message. In a suggested command, words in capitals (USER, FUND) are for you to fill in.

            --digest is for the morning: how much waits and how much of it is new, what it waits for, what was done, \
            and mailboxes that fail; --since says since when, a day unless said.

            Examples:
              fundmail report misrouted --since 7d
              fundmail report misrouted --digest
              fundmail report misrouted --format html > misrouted.html
            """)

    @Option(help: ArgumentHelp("Only mail since then: 7d, 12h, or a date such as 2026-01-01.", valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Only mail with this reason; may be repeated.", valueName: "reason"))
    var reason: [String] = []
    @Flag(help: "Also mail that was filed or put aside since.")
    var all = false
    @Flag(help: "Show all causes in the table, however many there are.")
    var full = false
    @Flag(help: "Show a summary for the morning.")
    var digest = false
    @Option(help: "The output: table, json (one object a line), csv or html (one page).")
    var format: Format = .table
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        _ = try sinceTime()
        guard digest else { return }
        guard reason.isEmpty, !all, !full else {
            throw ValidationError("--digest is about all that waits: leave out --reason, --all and --full.")
        }
        guard format != .csv else { throw ValidationError("--digest has no --format csv: give table, json or html.") }
    }

    private func sinceTime() throws -> Timestamp? { try since.map { try Clock.since($0, of: "--since") } }

    func run() async throws {
        var filter = MisrouteFilter()
        filter.includesResolved = all
        filter.reasons = Set(try reason.map(Reason.init(option:)))
        if let time = try sinceTime() { filter.since = time }
        let workspace = try Workspace(globals)
        let store = try workspace.openStore(.readOnly)
        guard !digest else {
            let now = Timestamp.now
            return try write(
                try await MisrouteDigest(store, workspace, since: filter.since ?? now - .seconds(86_400), now: now))
        }
        let records = try await store.administration.misroutes(filter)
        let report = MisrouteReport(
            records, quarantine: try await Self.quarantine(of: records, store), directory: try store.mail.directory(),
            words: workspace.words, now: Timestamp.now)
        switch format {
        case .table: try Console.write(report.text(width: Console.outputWidth, isFull: full))
        case .json: try Console.write(report.json())
        case .csv: try Console.write(report.csv())
        case .html: try Console.write(report.html())
        }
    }

    /// Why messages that carry malware are held back, by message.
    private static func quarantine(
        of records: [MisrouteRecord], _ store: FundStore
    ) async throws -> [MisrouteRecord.ID: String] {
        guard try await store.quarantine.quarantineCount() > 0 else { return [:] }
        return records.reduce(into: [:]) { reasons, record in
            // A message that cannot be read is no reason to have no report.
            reasons[record.id] = try? store.library.quarantineReason(of: record.digest, size: record.size)
        }
    }

    private func write(_ digest: MisrouteDigest) throws {
        switch format {
        case .table, .csv: try Console.write(digest.text(width: Console.outputWidth))
        case .json: try Console.write(digest.json())
        case .html: try Console.write(digest.html())
        }
    }
}
