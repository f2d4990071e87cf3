import ArgumentParser
import FundCore
import FundStore
import Synchronization
import Terminal

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Move the rows of the store to PostgreSQL, or back.",
        discussion: """
            Mail and files stay where they are, in the store's folder; its rows (who has what, under which name) go \
            into an empty database of PostgreSQL 15 or later, or from there into the folder. Stop what uses the store \
            before. Each row is compared in both, and only then the store uses the new rows: until then it is what it \
            was. A migration that was broken off is gone on with by the same command.

            Nothing is removed. Rows that were in the folder stay there as fundmail.sqlite.before-postgresql-TIME, and \
            those on a server in their database: remove them once you have made a backup (`rm`, `dropdb`). The search \
            finds older mail again when its index is made anew, which a running `fundmail serve` does by itself.

            The address has no password: that stands in ~/.pgpass (mode 0600), or in a file that the address names \
            with ?passfile=. A host on another machine needs TLS with a certificate that is trusted here, unless \
            ?sslmode= says otherwise.

            Examples:
              createdb -E UTF8 -T template0 fundmail
              fundmail migrate --to postgres:///fundmail --dry-run
              fundmail migrate --to postgres://fundmail@db.example.com/fundmail
              fundmail migrate --to sqlite

            Exit status: 65 when rows are damaged or the database has other tables, 69 when the server cannot be \
            reached, 73 when the disk has no room, 75 when a process uses the store.
            """)

    @Option(
        help: ArgumentHelp(
            "The address of an empty database of PostgreSQL, or `sqlite` for the folder.",
            valueName: "postgres://…|sqlite"))
    var to: String
    @Flag(help: "Look at both sides, say what would be moved, and change nothing.") var dryRun = false
    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var globals: GlobalOptions

    private static let folder = "sqlite"
    private static let schemes = ["postgres://", "postgresql://"]

    func validate() throws {
        guard to == Self.folder || Self.schemes.contains(where: to.hasPrefix) else {
            throw ValidationError("--to takes postgres://user@host/database, or sqlite.")
        }
    }

    func run() async throws {
        let path = try Workspace(globals).configuration.store
        let line = MigrationLine()
        let migration = EngineMigration(
            of: path, to: to == Self.folder ? .folder : .server(to), faults: try DebugSwitches.faults(),
            onProgress: line.show)
        defer { line.clear() }
        if dryRun {
            let plan = try migration.plan()
            line.clear()
            return try show(plan)
        }
        let begin = ContinuousClock.now
        let report = try migration.run()
        line.clear()
        try show(report, (ContinuousClock.now - begin) / .seconds(1))
    }

    private var place: String { to == Self.folder ? "in the folder" : "on PostgreSQL" }

    private func show(_ plan: MigrationPlan) throws {
        guard case .moves(let rows, let bytes, let isContinued) = plan else {
            guard json else { return try Console.line("Its rows are \(place) already.") }
            return try Console.write(JSONWriter.line { $0.field("rows", 0) })
        }
        guard !json else {
            return try Console.write(
                JSONWriter.line { line in
                    line.field("rows", rows)
                    line.field("database_bytes", bytes)
                    line.field("is_continued", isContinued)
                })
        }
        let begun = isContinued ? " A part was copied before, and is used where it is still right." : ""
        try Console.line(
            "\(Quantity.count(rows, "row")) would be moved, of a database of \(Quantity.display(bytes: bytes))."
                + "\(begun) Nothing was changed.")
    }

    private func show(_ report: MigrationReport, _ seconds: Double) throws {
        guard !json else {
            return try Console.write(
                JSONWriter.line { line in
                    line.field("rows", report.rows)
                    line.field("tables", report.tables)
                    line.field("bytes", report.bytes)
                    line.field("kept", report.kept)
                })
        }
        guard report.tables > 0 else { return try Console.line("Its rows are \(place) already.") }
        try Console.line(
            "The rows of the store are \(place) now: \(Quantity.count(report.rows, "row")) of "
                + "\(Quantity.count(report.tables, "table")), \(Quantity.display(bytes: report.bytes)), each compared "
                + "in both, in \(Quantity.display(seconds: seconds)).")
        guard let kept = report.kept else { return }
        try Console.line(
            to == Self.folder
                ? "Those of before are still in \(kept); remove them with `dropdb` once you have made a backup."
                : "Those of before are kept as \(kept) in the store; remove that file once you have made a backup.")
        try Console.line("Start what you stopped. The index of the search is made anew while `fundmail serve` runs.")
    }
}

/// Shows the progress of a migration, with the time that is left of its present step.
private final class MigrationLine: Sendable {
    private let line = ProgressLine(interval: .milliseconds(200))
    private let began = Mutex<(step: CopyProgress.Step, at: ContinuousClock.Instant)?>(nil)

    @Sendable func show(_ progress: CopyProgress) {
        let start = began.withLock { began in
            if began?.step != progress.step || progress.done == 0 { began = (progress.step, .now) }
            return began?.at ?? .now
        }
        line.show(Self.text(progress, after: (ContinuousClock.now - start) / .seconds(1)))
    }

    func clear() { line.clear() }

    private static func text(_ progress: CopyProgress, after seconds: Double) -> String {
        let verb =
            switch progress.step {
            case .looking: "Looking at the rows"
            case .copying: "Copying"
            case .indexing: "Making indexes"
            case .comparing: "Comparing"
            }
        guard progress.total > 0 else { return verb }
        let text = "\(verb): \(progress.done) of \(Quantity.count(progress.total, "row"))"
        guard progress.done > 0, seconds > 1 else { return text }
        let left = seconds * Double(max(0, progress.total - progress.done)) / Double(progress.done)
        return "\(text), \(Quantity.display(seconds: left)) left"
    }
}
