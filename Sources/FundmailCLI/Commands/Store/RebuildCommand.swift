import ArgumentParser
import FundCore
import FundStore
import Ingest
import MailParse
import Terminal

struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Make the database anew from the log.",
        discussion: """
            For when the database is lost and there is no backup; with one, bring that back instead. All mail of the \
            log is routed again, by fundmail.yaml and a list of people and funds, with the times at which it came. \
            What finds no fund waits in the misrouted report. Files that came by no mail come into the fund "Recovered \
            files" of the first administrator, under the names that they had. Folders, new names, notes, passwords, \
            letters that waited to be sent and what was decided by hand stood in the database alone: they do not come \
            back. That mail was deleted stood there, too: it is filed again as long as its raw message was kept, also \
            when the trash had been emptied.

            The list is a table as `fundmail user import` reads it, and needs an administrator:
              email,name,funds,admin
              ann@example.com,Ann Archer,Fund1;Fund2,
              boss@example.com,Bo Boss,,yes

            Mail of a mailbox is believed as fundmail.yaml says of it, and mail from files where its record says that \
            you vouched for it (`replay` without --as). All other mail waits in the report, also that of a mailbox \
            which fundmail.yaml does not name. Records of older versions do not say what they are of: with \
            --trust-files they are believed, forged ones that a mailbox had refused as well; with --as as that mailbox \
            does.

            The log is read where it is. The old database is kept beside the new one, as \
            fundmail.sqlite.replaced-TIME. Until the end nothing is changed: a rebuild that was broken off is begun \
            anew. Nothing else may use the store meanwhile.

            Examples:
              fundmail rebuild --people people.csv
              fundmail rebuild --people people.csv --from store/lost --from /mnt/old/log

            Exit status: 0 when all was whole, 65 when something in the log is damaged (all else is filed).
            """)

    @Option(help: ArgumentHelp("The list of people and their funds; - is standard input.", valueName: "file.csv"))
    var people: String

    @Option(
        help: ArgumentHelp(
            "Further segments: a folder, a store or a file; may be repeated. They are copied.", valueName: "path"))
    var from: [String] = []

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Believe senders of mail that nobody is known to have vouched for as this mailbox does.",
            valueName: "mailbox"))
    var mailbox: String?

    @Flag(help: "Believe senders of mail whose older record may come from a file.") var trustFiles = false

    func validate() throws {
        if mailbox != nil, trustFiles { throw ValidationError("--as and --trust-files exclude each other") }
    }

    @Flag(help: "Rebuild also when the database is whole.") var force = false
    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        ProcessMemory.keep()
        let workspace = try Workspace(globals)
        let unvouched: UnvouchedMail =
            if mailbox != nil { .asMailbox(try workspace.policy(asMailbox: mailbox)) } else {
                trustFiles ? .isTrusted : .waits
            }
        let table = try PeopleFile(people)
        let rebuild = try DatabaseRebuild.begin(
            at: workspace.configuration.store, also: from, isForced: force, faults: try DebugSwitches.faults())
        let ending: Ending
        do { ending = try await make(rebuild, workspace, table, unvouched) } catch {
            rebuild.abandon()
            throw error
        }
        try report(ending, workspace)
        guard ending.damages.isEmpty, ending.damagedStates.isEmpty else { throw ExitCode(ExitStatus.input.rawValue) }
    }

    private struct Ending {
        var result: RecoveryRun.Result
        var segments: Int
        var damages: [String]
        var damagedStates: [String]
        /// Counts as `LogRecovery` gives them.
        var removedElsewhere: Int
        var unproven: Int
        /// Name of the old database.
        var kept: String?
        var lost: [String]
    }

    private func make(
        _ rebuild: DatabaseRebuild, _ workspace: Workspace, _ table: PeopleFile, _ unvouched: UnvouchedMail
    ) async throws -> Ending {
        let store = rebuild.store
        _ = try await table.take(into: store)
        guard try await store.administration.users().contains(where: { $0.user.isAdministrator && !$0.user.isDisabled })
        else {
            throw CommandError(
                .input, "\(people) has no administrator: give one person `yes` in the column admin, and run it again.")
        }
        let progress = RunProgress()
        let recovery = try await store.recoverLog(also: from) { progress.show("\($0) segments looked through") }
        let (signals, parser) = (StopSignal(), workspace.parser(stagingDirectory: store.mail.spool.path))
        let run = RecoveryRun(
            workspace: workspace, store: store, parser: parser, recovery: recovery, unvouched: unvouched)
        let result = try await run.run(shouldStop: { signals.isReceived }, onEvent: progress.take)
        await parser.shutdown()
        progress.clear()
        if signals.number > 0 {
            rebuild.abandon()
            Console.warn("interrupted; nothing was changed")
            throw ExitCode(128 + signals.number)
        }
        try await store.finish(recovery)
        let kept = try rebuild.finish()
        // Behind the switch: a rebuild that is begun anew finds them where they were.
        let lost = try recovery.keepDamaged()
        return Ending(
            result: result, segments: recovery.segmentCount, damages: recovery.damages,
            damagedStates: recovery.damagedStates, removedElsewhere: recovery.removedElsewhere,
            unproven: recovery.unproven, kept: kept, lost: lost)
    }

    private func report(_ ending: Ending, _ workspace: Workspace) throws {
        for damage in ending.damages { Console.warn("not read: \(damage)") }
        for damage in ending.damagedStates {
            Console.warn("filed all the same: \(damage)")
        }
        for path in ending.lost {
            Console.warn("what is damaged is kept in \(path)")
        }
        let (mail, uploads) = (ending.result.mail, ending.result.uploads)
        guard !json else {
            return try Console.write(
                JSONWriter.line { line in
                    line.field("segments", ending.segments)
                    line.field("messages", mail.seen)
                    for outcome in Outcome.allCases {
                        line.key(outcome.rawValue)
                        line.value(mail.count(outcome))
                    }
                    line.field("failed", mail.failed)
                    line.field("uploads", uploads.files)
                    line.field("uploads_fund", uploads.fund)
                    line.field("uploads_owner", uploads.owner)
                    line.field("removed_elsewhere", ending.removedElsewhere)
                    line.field("unproven", ending.unproven)
                    line.field("damaged_states", ending.damagedStates.count)
                    line.field("damages", ending.damages.count)
                    line.field("kept_database", ending.kept)
                })
        }
        var text = RunSummaryText.render(mail, isRehearsal: false)
        if let fund = uploads.fund, let owner = uploads.owner {
            let files = "\(uploads.files) files (\(Quantity.display(bytes: uploads.bytes)))"
            text += "\n\(files) that came by no mail are in [\(fund)] of \(owner).\n"
        }
        if ending.removedElsewhere > 0 { text += "\n\(RecoveryWords.removedElsewhere(ending.removedElsewhere))\n" }
        if ending.unproven > 0 { text += "\n\(RecoveryWords.unproven(ending.unproven))\n" }
        if mail.count(.filed) > 0 { text += "\n\(RecoveryWords.deletedMail)\n" }
        if let kept = ending.kept { text += "\nThe old database is kept as \(kept).\n" }
        text += "\nNobody has a password yet: `\(workspace.command(["user", "passwd", "EMAIL"]))`.\n"
        try Console.write(text)
    }
}
