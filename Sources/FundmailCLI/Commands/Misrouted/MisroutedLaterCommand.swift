import ArgumentParser
import FundCore
import Ingest
import Terminal

struct MisroutedLaterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "later", abstract: "Put kept messages off until a day; until then the desk does not show them.",
        discussion: """
            Reports of this command line go on naming messages that were put off.

            Examples:
              fundmail misrouted later 12 13 --until 7d
              fundmail misrouted later --reason unknown_sender --until 2027-01-04
              fundmail misrouted later 12 --now
            """)

    @OptionGroup var selection: MisrouteSelection
    @Option(help: ArgumentHelp("When to show them again: 7d, 12h, or a date such as 2027-01-04.", valueName: "time"))
    var until: String?
    @Flag(help: "Show messages that were put off now.") var now = false
    @OptionGroup var format: ActFormat
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        try selection.validate(isOptional: false)
        guard now == (until == nil) else { throw ValidationError("Give either --until or --now.") }
        _ = try time()
    }

    func run() async throws {
        let time = try time()
        try await DeskSession.run(globals) { session in
            let ids = try await selection.records(in: session.store).map(\.id)
            let isByNumber = !selection.ids.isEmpty
            let text = time.map { "is put off until \(Clock.local($0))" } ?? "is shown again"
            let output = ActOutput(
                json: format.json, count: ids.count, doneText: isByNumber ? { "\($0) \(text)." } : nil)
            let report = try await session.desk.putOff(ids, until: time, actor: Workspace.deskActor)
            for (id, disposition) in report.dispositions { try output.take(id, disposition) }
            if !isByNumber { try output.say("\(output.done) \(now ? "shown again" : "put off").") }
            try output.finish(report, session.workspace)
            return output
        }
    }

    private func time() throws -> Timestamp? {
        guard let until else { return nil }
        guard let time = Clock.until(until), time > .now, time <= DeskService.latestTime else {
            throw ValidationError("--until \(until): write 7d, 12h, or a date to come such as 2027-01-04")
        }
        return time
    }
}
