import ArgumentParser
import FundStore
import FundCore
import Ingest
import MailParse
import Terminal

struct MisroutedUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo what was done about kept messages. There is no time limit.",
        discussion: """
            Files of a message that was filed go to the trash, and the message waits again with its age; what was \
            learnt from it is forgotten. A message whose mail or files the owner has changed since stays filed. \
            `misrouted assign`, `retry` and `reject` print the number of what they did.

            Example:
              fundmail misrouted undo 7
            """)

    @Argument(help: "The number of what was done.") var act: DeskAct.ID
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore()
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path, concurrency: 1)
        let report = try await workspace.desk(store, parser).undo(act, actor: Workspace.actor)
        await parser.shutdown()
        try store.close()
        var (undone, refused): (Set<MisrouteRecord.ID>, Int) = ([], 0)
        for (id, ending) in report.dispositions {
            guard case .refused(let error) = ending else {
                undone.insert(id)
                continue
            }
            refused += 1
            try MisroutedRetryCommand.complain(of: id, error, isOnly: false)
        }
        try Console.line("\(undone.count == 1 ? "1 message is" : "\(undone.count) messages are") as before.")
        if refused > 0 { throw ExitCode(ExitStatus.input.rawValue) }
    }
}

extension Console {
    /// How what was just done is undone; nothing for nil.
    static func line(undoing act: DeskAct.ID?, _ workspace: Workspace) throws {
        guard let act else { return }
        try line("To undo: \(workspace.command(["misrouted", "undo", "\(act)"]))")
    }
}
