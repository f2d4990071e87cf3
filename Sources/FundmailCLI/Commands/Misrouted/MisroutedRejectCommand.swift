import ArgumentParser
import FundCore
import Ingest
import Terminal

struct MisroutedRejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject", abstract: "Put kept messages aside; they stay in the store.",
        discussion: """
            Examples:
              fundmail misrouted reject 12 13 --note "not for us"
              fundmail misrouted reject --reason auto_reply
            """)

    @OptionGroup var selection: MisrouteSelection
    @Option(help: "The reason, for the record.") var note = ""
    @OptionGroup var format: ActFormat
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try selection.validate(isOptional: false) }

    func run() async throws {
        try await DeskSession.run(globals) { session in
            // Messages that were put aside before stay so.
            let records = try await selection.records(in: session.store).filter { $0.resolution?.isRejection != true }
            let isByNumber = !selection.ids.isEmpty
            let output = ActOutput(
                json: format.json, count: records.count, doneText: isByNumber ? { "Put \($0) aside." } : nil)
            let report = try await session.desk.reject(
                records.map(\.id), note: note, actor: Workspace.deskActor, onDisposition: output.take)
            if !isByNumber { try output.say("\(output.done) put aside.") }
            try output.finish(report, session.workspace)
            return output
        }
    }
}
