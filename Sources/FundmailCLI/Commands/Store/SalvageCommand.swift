import ArgumentParser
import FundCore
import FundStore
import Terminal

struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage", abstract: "Get every message and file out of a log without its database.",
        discussion: """
            For when the database is lost. Messages become mail/*.eml, named by time and hash: replay them into a new \
            store. Files become files/*, named by hash and the name that they had. What is damaged is named and \
            left out. Run it again to go on after it was broken off.

            A path is a store (its log/ and lost/ are read), a folder of segments, or a segment, under any name. Name \
            all that is left at once, also several copies of one log: what one has lost another may have, and a \
            message is only whole together with its large files. What one copy has whole comes out also where another \
            says that it was removed; how much that is is said at the end. A record whose state has changed comes out \
            when its content is whole, and so does one that says it was given up when the store's database needs it; \
            each is named.

            Of a segment that has lost its beginning, and that nothing else tells of, records may be bytes that came \
            by mail: its messages go to unproven/. Look at each before you replay it.

            Examples:
              fundmail salvage /var/lib/fundmail/store --to /tmp/salvaged
              fundmail salvage store/lost /mnt/backup/log 000003.seg.bak --to /tmp/salvaged

            Exit status: 0 when all was whole, 65 when something is damaged or there is no log.
            """)

    @Argument(help: ArgumentHelp("Stores, folders of segments, and segments.", valueName: "path"))
    var paths: [String]
    @Option(help: ArgumentHelp("The folder to write to; it is made if it is not there.", valueName: "dir"))
    var to: String
    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let report: SalvageReport
        do { report = try Salvage.run(paths, to: to) } catch let error as StoreError where error.code == .notFound {
            throw CommandError(.input, TerminalText.clean("Nothing to salvage: \(error.detail)."))
        }
        for damage in report.damages { Console.warn(damage) }
        if json {
            try Console.write(
                JSONWriter.line { line in
                    line.field("messages", report.messages)
                    line.field("files", report.files)
                    line.field("given_up", report.dead)
                    line.field("removed_elsewhere", report.removedElsewhere)
                    line.field("unproven", report.unproven)
                    line.field("damaged_states", report.damagedStates)
                    line.field("damages", report.damages.count)
                })
        } else {
            var text = "Salvaged \(report.messages) messages and \(report.files) files to \(to)."
            if report.removedElsewhere > 0 { text += " " + RecoveryWords.removedElsewhere(report.removedElsewhere) }
            if report.unproven > 0 { text += " Messages in unproven/ that may be forged: \(report.unproven)." }
            try Console.line(text)
        }
        guard report.damages.isEmpty else { throw ExitCode(ExitStatus.input.rawValue) }
    }
}
