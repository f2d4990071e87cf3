import ArgumentParser
import FundStore
import Terminal

struct UpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Bring the store up to date after an update of the program.",
        discussion: """
            Every command that writes brings the store up to date by itself, and says so on standard error; this one \
            does nothing else. Before the first step the rows are copied beside the store's database, to \
            fundmail.sqlite.schema-N by the number of their schema; the copies of the last two updates stay. Where the \
            disk has no room for the copy nothing is changed; the steps themselves may use the store's reserve.

            An earlier version refuses the store after the first step. To go back, stop what uses the store, run \
            `fundmail update --back`, install the earlier version, and run its `fundmail verify --repair`: mail that \
            came since is in the log, and it files that again. What people did since is lost, as after `fundmail \
            restore`; the rows that have it stay in the store's lost/.

            Examples:
              fundmail update --dry-run
              fundmail update
              fundmail update --back

            Exit status: 65 when the database is damaged so that it cannot be copied (with --back: when the last \
            update left no copy, or the copy is damaged), 73 when the disk has no room, 75 when a process of the \
            earlier version still runs (with --back: any process).
            """)

    @Flag(help: "List the steps and what the copy takes, and change nothing.") var dryRun = false
    @Flag(help: "Update without the copy of the rows: then only a backup leads back.") var withoutCopy = false
    @Flag(help: "Give the store the rows from before its last update, for an earlier version.") var back = false
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard !back || !dryRun && !withoutCopy else { throw ValidationError("--back stands alone.") }
    }

    func run() async throws {
        let workspace = try Workspace(globals)
        let path = workspace.configuration.store
        if back {
            let report = try FundStore.goBack(at: path)
            return try Console.line(
                "The store in \(path) has its rows of schema \(report.schema) again; those of until now are in "
                    + "\(report.kept). Install the earlier version, and run its `fundmail verify --repair`.")
        }
        if dryRun, let plan = try FundStore.pendingUpdate(at: path) {
            for line in plan.words(isCopied: !withoutCopy) { try Console.line(line) }
            guard withoutCopy || plan.hasRoom else {
                let room = Quantity.display(bytes: max(0, plan.room))
                throw CommandError(
                    .cannotCreate, "The disk has room for \(room) of the copy alone: nothing would be changed.")
            }
            return
        }
        if !dryRun { try workspace.openStore(.existing, copiesRows: !withoutCopy).close() }
        try Console.line("The store in \(path) is up to date.")
    }
}
