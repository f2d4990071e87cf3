import ArgumentParser
import FundStore
import FundCore
import Ingest
import MailParse
import Terminal

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compare rows, raw messages and files by hash.",
        discussion: """
            Finds what is missing or damaged. With --repair, files are made again from their raw messages where those \
            hold them in another form, segments that stand in lost/ or under another's name are put back, files among \
            the segments that are none are moved to lost/ in the store, and indexes of the database are made anew. A \
            damaged message is mended when it is sent or replayed again.

            Where the log has more than an older database knows (newer_segment), --repair files that again: mail by \
            the rules of fundmail.yaml, and files that came by no mail into the fund "Recovered files" of the first \
            administrator.

            Rows of the database that cannot be read, and rows that are not what was written, come from the newest \
            backup with --backup, and from the log as far as that knows. --accept-rows takes rows that are not what \
            was written as they are now: look at them before. A backup is refused that is damaged, of another store, \
            or of a state that this store does not go on from, as of a copy of it that was used.

            Where most of the log is missing, a disk is probably not mounted, and --repair stops. --accept-loss goes \
            on without what is missing, which is lost for good.

            Examples:
              fundmail verify --repair
              fundmail verify --repair --backup /mnt/backup/fundmail

            Exit status: 0 when all is well or was repaired, 65 otherwise.
            """)

    @Flag(help: "Repair damage where that is possible.") var repair = false
    @Option(help: ArgumentHelp("The backup from which damaged rows come; with --repair.", valueName: "dir"))
    var backup: String?
    @Flag(help: "Accept changed rows as they are; with --repair.") var acceptRows = false
    @Flag(help: "Go on without missing segments; with --repair.") var acceptLoss = false
    @Flag(help: "Believe senders of mail whose older record may be of a file; with --repair.") var trustFiles = false
    @Flag(help: "Print one JSON object a finding, and a summary as the last line.") var json = false
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard !repair, backup != nil || acceptRows || acceptLoss else { return }
        throw ValidationError("--backup, --accept-rows and --accept-loss go with --repair.")
    }

    func run() async throws {
        let workspace = try Workspace(globals)
        let path = workspace.configuration.store
        var store: FundStore
        let mode = repair ? acceptLoss ? OpenMode.acceptingLoss : .existing : .readOnly
        do { store = try workspace.openStore(mode) } catch let error as StoreError
            where [.corrupted, .notAStore].contains(error.code) && StoreMaintenance.hasLog(at: path)
        {
            return try finish(StoreMaintenance.verifyLog(at: path, without: error))
        }
        let parser = repair ? workspace.parser(stagingDirectory: store.mail.spool.path) : nil
        let line = ProgressLine()
        var mended: [VerifyFinding] = []
        if let parser {
            do {
                mended = try await store.maintenance.repairDatabase(from: backup, acceptsRows: acceptRows)
            } catch let error as StoreError where error.code == .corrupted {
                throw CommandError(stoppingRepair: error)
            }
            // Rows about the log must be readable before something is filed by them.
            let isReadable = !mended.leftDatabaseDamaged
            if !mended.isEmpty, isReadable {
                // Opening again reads the mended rows.
                try store.close()
                store = try workspace.openStore()
            }
            // `verify` finds it again.
            mended = isReadable ? try await mended + fileNewerRecords(workspace, store, parser) : []
        }
        var report = try await store.maintenance.verify(
            repairing: parser, from: backup, acceptsRows: acceptRows, limits: workspace.configuration.limits
        ) { progress in
            if progress.done % 100 == 0 { line.show("\(progress.done) of \(progress.total) messages and files") }
        }
        await parser?.shutdown()
        line.clear()
        report.findings = mended + report.findings
        try finish(report)
    }

    private func finish(_ report: VerifyReport) throws {
        try json ? Console.write(Self.lines(report)) : Console.write(Self.text(report, isRepair: repair))
        guard report.isSound else { throw ExitCode(ExitStatus.input.rawValue) }
    }

    /// Files what the log has behind an older database. Gives what there was of it, and what became of it.
    private func fileNewerRecords(
        _ workspace: Workspace, _ store: FundStore, _ parser: ParserPool
    ) async throws -> [VerifyFinding] {
        guard let (recovery, segments) = try await store.recoverNewerRecords() else { return [] }
        let (signals, progress) = (StopSignal(), RunProgress())
        let run = RecoveryRun(
            workspace: workspace, store: store, parser: parser, recovery: recovery,
            unvouched: trustFiles ? .isTrusted : .waits)
        let result = try await run.run(shouldStop: { signals.isReceived }, onEvent: progress.take)
        progress.clear()
        guard signals.number <= 0 else { throw ExitCode(128 + signals.number) }
        try await store.finish(recovery)
        let lost = try recovery.keepDamaged()
        let doubt = recovery.unproven > 0 ? "; \(RecoveryWords.unproven(recovery.unproven))" : ""
        let detail = Self.detail(of: result) + doubt
        return segments.map {
            VerifyFinding(kind: .newerSegment, path: $0, action: .filedAgain, detail: detail)
        }
            + recovery.damagedStates.map {
                VerifyFinding(kind: .damagedState, path: "log", action: .filedAgain, detail: $0)
            }
            + recovery.damages.map { damage in
                VerifyFinding(
                    kind: .damagedSegment, path: "log", action: .unrepairable,
                    detail: lost.isEmpty ? damage : "\(damage); it is kept in \(lost.joined(separator: ", "))")
            }
    }

    /// Detail for all newer segments together.
    private static func detail(of result: RecoveryRun.Result) -> String {
        let messages = result.mail.seen == 0 ? "no mail" : result.mail.counts(failed: "not read")
        let uploads = result.uploads
        let files = uploads.owner.map { ", \(uploads.files) files into [\(uploads.fund ?? "")] of \($0)" } ?? ""
        return "the database was older; filed again from the log: \(messages)\(files)"
    }

    private static func text(_ report: VerifyReport, isRepair: Bool) -> String {
        let rows = report.findings.map { finding in
            [
                finding.kind.rawValue.replacing("_", with: " "), finding.path,
                finding.action.rawValue.replacing("_", with: " "), finding.detail,
            ]
        }
        let table = Table(["FOUND", "WHERE", "DONE", .shrinking("DETAIL")], rows)
        let checked =
            "\(report.rawMessages) raw messages and \(report.blobs) files, \(Quantity.display(bytes: report.bytes))"
        var text = rows.isEmpty ? "" : table.rendered(width: Console.outputWidth) + "\n"
        if report.findings.isEmpty {
            text += "All is well: \(checked).\n"
        } else if report.isSound {
            text += "Everything was mended: \(checked).\n"
        } else {
            text += "Checked \(checked). \(next(report, isRepair: isRepair)).\n"
        }
        return text
    }

    private static func next(_ report: VerifyReport, isRepair: Bool) -> String {
        guard isRepair else { return "`fundmail verify --repair` mends what can be mended" }
        let isOfRows = report.findings.contains { $0.action == .unrepairable && $0.kind == .changedRow }
        return isOfRows
            ? "Changed rows come from a backup (--backup DIR), or are taken as they are (--accept-rows)"
            : "What could not be mended must come from a backup"
    }

    private static func lines(_ report: VerifyReport) -> [UInt8] {
        JSONWriter.lines(report.findings) { line, finding in
            line.field("kind", finding.kind.rawValue)
            line.field("path", finding.path)
            line.field("digest", finding.digest?.hex)
            line.field("action", finding.action.rawValue)
            line.field("detail", finding.detail)
        }
            + JSONWriter.line { line in
                line.key("summary")
                line.object { counts in
                    counts.field("raw_messages", report.rawMessages)
                    counts.field("blobs", report.blobs)
                    counts.field("bytes", report.bytes)
                    counts.field("findings", report.findings.count)
                    counts.field("sound", report.isSound)
                }
            }
    }
}
