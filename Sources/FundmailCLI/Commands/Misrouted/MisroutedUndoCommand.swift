import ArgumentParser
import FundCore
import Ingest
import Terminal

struct MisroutedUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo an act about kept messages. There is no time limit.",
        discussion: """
            Files of a message that was filed go to the trash, and the message waits again with its age; addresses and \
            aliases that were learnt from it are forgotten. A message whose mail or files the owner has changed since \
            stays filed. The commands that act print the number of their act; `fundmail misrouted acts` lists them.

            Example:
              fundmail misrouted undo 7
            """)

    @Argument(help: "The number of the act.") var act: DeskAct.ID
    @OptionGroup var format: ActFormat
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await DeskSession.run(globals) { session in
            var report = try await session.desk.undo(act, actor: Workspace.actor)
            let output = ActOutput(json: format.json, count: 0)
            var undone: Set<MisrouteRecord.ID> = []
            for (id, disposition) in report.dispositions {
                if case .refused = disposition {} else { undone.insert(id) }
                try output.take(id, disposition)
            }
            try output.say("\(undone.count == 1 ? "1 message is" : "\(undone.count) messages are") as before.")
            // Undoing is not undone: the act is done again.
            report.act = format.json ? act : nil
            try output.finish(report, session.workspace)
            return output
        }
    }
}
