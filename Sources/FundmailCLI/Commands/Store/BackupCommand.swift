import ArgumentParser
import FundCore
import FundStore
import Terminal

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the store, while everything runs.",
        discussion: """
            Copies the log, the database as it is at one moment, and the server's key. The next time only what is new \
            is copied into the same folder, which holds a whole store at every moment. The state before it stays \
            there, packed, and so do others before that: `fundmail restore` lists them, and makes a store of any of \
            them. It does not hold fundmail.yaml and the files that this names.

            A backup that has what the store has not is not replaced: for example when the store was restored from an \
            older state, or when it was copied and both copies were used.

            What is copied is looked at: a record that the rows need and that the store has not whole there is named.

            The headers of all records that the folder keeps are compared with the store's each time, and with --check \
            all their bytes with their checksums. What the backup's disk has damaged is copied anew, and said; a \
            database of the backup that cannot be read is kept in its lost/.

            Examples:
              fundmail backup --to /mnt/backup/fundmail
              fundmail backup --to /mnt/backup/fundmail --check

            Of a store whose database cannot be opened, the new bytes of the log are copied; the backup keeps the \
            database that it has.

            Exit status: 65 when the store is damaged (all else is copied) or the folder holds something that must not \
            be replaced, 73 when the folder cannot be written or the store's database cannot be opened.
            """)

    @Option(help: ArgumentHelp("The folder of the backup; it is made if it is not there.", valueName: "dir"))
    var to: String
    @Option(help: ArgumentHelp("The number of older states of the database that stay in the folder.", valueName: "n"))
    var keep = BackupOptions.defaultKeptStates
    @Flag(help: "Replace a backup also when it has what the store has not; that is lost, and so are its older states.")
    var force = false
    @Flag(help: "Read all that the folder keeps of the log, and copy anew what is damaged there.") var check = false
    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard keep >= 0 else { throw ValidationError("--keep takes a number of states, 0 for none") }
    }

    func run() async throws {
        let workspace = try Workspace(globals)
        let path = workspace.configuration.store
        let store: FundStore
        do { store = try workspace.openStore() } catch let error as StoreError
            where [.corrupted, .notAStore, .rowsLost, .logLost].contains(error.code)
            && StoreMaintenance.hasLog(at: path)
        {
            try show(StoreMaintenance.backUpLog(of: path, to: to, without: error))
            let why = CommandError(error)
            throw CommandError(why.status, "\(why.message) What is new in the log is in the backup.")
        }
        let line = ProgressLine()
        let options = BackupOptions(keptStates: keep, isForced: force, isChecked: check)
        let report = try await store.maintenance.backUp(to: to, options) { done, total in
            line.show("\(Quantity.display(bytes: done)) of \(Quantity.display(bytes: total))")
        }
        line.clear()
        try show(report)
        guard report.damages.isEmpty else {
            throw CommandError(
                .input,
                "What is named above is damaged, all else was backed up: `fundmail verify` says what is wrong in the "
                    + "store.")
        }
    }

    private func show(_ report: BackupReport) throws {
        for damage in report.damages { Console.warn("not copied whole: \(damage)") }
        for renewal in report.renewals { Console.warn(renewal) }
        if json {
            try Console.write(
                JSONWriter.line { line in
                    line.field("copied_bytes", report.copiedBytes)
                    line.field("log_bytes", report.logBytes)
                    line.field("database_bytes", report.databaseBytes)
                    line.field("segments", report.segments)
                    line.field("kept_states", report.keptStates)
                    line.field("lost_messages", report.loss?.messages ?? 0)
                    line.field("lost_files", report.loss?.contents ?? 0)
                    line.field("damages", report.damages.count)
                    line.field("renewals", report.renewals.count)
                })
        } else {
            try Console.line(text(report))
        }
    }

    private func text(_ report: BackupReport) -> String {
        let all = Quantity.display(bytes: report.logBytes + report.databaseBytes)
        let new = Quantity.display(bytes: report.copiedBytes + report.databaseBytes)
        let kept = report.keptStates == 1 ? "1 older state is" : "\(report.keptStates) older states are"
        let text = "Backed up \(all) to \(to); \(new) of that had to be copied. \(kept) kept there."
        guard let loss = report.loss else { return text }
        return text + " The backup that was replaced had \(loss) that the store has not."
    }
}
