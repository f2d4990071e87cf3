import ArgumentParser
import FundStore
import FundCore
import Ingest
import MailParse
import Terminal

struct MisroutedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "misrouted", abstract: "Look at mail that could not be filed, file it, or put it aside.",
        subcommands: [
            Show.self, MisroutedAssignCommand.self, MisroutedRegisterCommand.self, MisroutedCreateCommand.self,
            MisroutedEnableCommand.self, MisroutedRejectCommand.self, MisroutedLaterCommand.self,
            MisroutedRetryCommand.self, MisroutedActsCommand.self, MisroutedUndoCommand.self,
            MisroutedLearntCommand.self, MisroutedForgetCommand.self,
        ])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one kept message.",
            discussion: "Example:\n  fundmail misrouted show 12 --raw > message.eml")

        @Argument(help: "The number of the message in the report.") var id: MisrouteRecord.ID
        @Flag(help: "Print the message as it came, byte for byte.") var raw = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let workspace = try Workspace(globals)
            let store = try workspace.openStore(.readOnly)
            let record = try await store.administration.misroute(id)
            if raw { return try Self.copy(record, from: store) }
            let directory = try store.mail.directory()
            let fix = MisrouteFix(directory: directory, words: workspace.words, isShown: true)
            let near = MisrouteReport.near(record, directory).joined(separator: ", ")
            var lines: [(String, String?)] = [
                ("outcome", "\(record.outcome.rawValue): \(record.reason.rawValue)"),
                ("meaning", MisrouteReport.explanation(record.reason)), ("detail", record.detail),
                ("caution", MisrouteReport.caution(record)),
                ("received", Clock.local(record.receivedAt)), ("source", record.reference.text),
                ("from", record.sender), ("relay", record.relay.map(MisrouteReport.relay)),
                ("user", record.userEmail), ("subject", record.subject), ("tag", record.tag),
                ("near", near),
                ("size", Quantity.display(bytes: record.size)), ("sha-256", record.digest.hex),
                ("attempts", "\(record.attempts)"), ("now", MisrouteReport.resolution(record)),
            ]
            if record.resolution == nil { lines.append(("command", fix.command(for: [record]))) }
            var table = Table(["", ""])
            for case (let title, let text?) in lines where !text.isEmpty { table.add([title, text]) }
            try Console.write(table.rendered(width: nil))
        }

        private static func copy(_ record: MisrouteRecord, from store: FundStore) throws {
            do {
                let content = try store.library.content(of: record.digest, size: record.size)
                try content.read(0..<record.size) { try Console.write(Array($0)) }
            } catch let error as StoreError where error.code == .corrupted {
                let hint = "the store may have dropped it after filing; `fundmail verify` tells"
                throw CommandError(.input, "The raw message is not there (\(error)); \(hint).")
            }
        }
    }
}
