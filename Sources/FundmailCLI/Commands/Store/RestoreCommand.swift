import ArgumentParser
import FundCore
import FundStore
import Terminal

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a store of a backup, or of an older state that it keeps.",
        discussion: """
            Writes the store into a new folder, as it was when that backup was made, with all mail and files that it \
            had then, and leaves the backup as it is. Then stop what uses the store, put the folder in its place, run \
            `fundmail verify`, and start again. Mail that came after that backup is not in it: what is still on its \
            server is filed by the next run, and a later state of the backup has the rest. Sign-ins are as they were, \
            too: what was revoked since is good again. Each record is compared \
            with its checksums; segments with damaged ones are named.

            Examples:
              fundmail restore /mnt/backup/fundmail --list
              fundmail restore /mnt/backup/fundmail --to /var/lib/fundmail/store.new
              fundmail restore /mnt/backup/fundmail --state 20261126 --to /tmp/yesterday

            Exit status: 65 when the backup has no such state or is damaged (all else is written), 73 when the folder \
            cannot be written.
            """)

    @Argument(help: "The folder that `fundmail backup` wrote.") var backup: String
    @Flag(help: "List the states that the backup has.") var list = false
    @Option(help: ArgumentHelp("An older state by its name in --list, or by its beginning.", valueName: "name"))
    var state: String?
    @Option(help: ArgumentHelp("The folder of the store; it must be new or empty.", valueName: "dir"))
    var to: String?
    @Flag(help: "Print one JSON object a state, or one about what was written.") var json = false

    func validate() throws {
        guard list == (to == nil) else { throw ValidationError("say where to: --to DIR; or --list") }
        guard !list || state == nil else { throw ValidationError("--list names all states") }
    }

    func run() async throws {
        let folder = BackupFolder(path: backup)
        guard let to else { return try show(folder.all()) }
        let line = ProgressLine()
        let report = try folder.restore(state, to: to) { done, total in
            line.show("\(Quantity.display(bytes: done)) of \(Quantity.display(bytes: total))")
        }
        line.clear()
        for damage in report.damages { Console.warn("not restored whole: \(damage)") }
        if json {
            try Console.write(
                JSONWriter.line { line in
                    line.field("state", report.state.name)
                    line.field("time", Clock.timestamp(report.state.time))
                    line.field("segments", report.segments)
                    line.field("log_bytes", report.bytes)
                    line.field("damages", report.damages.count)
                })
        } else {
            let time = Clock.local(report.state.time)
            let bytes = Quantity.display(bytes: report.bytes)
            try Console.line(
                "Restored the store of \(time) to \(to), \(bytes) of mail and files. "
                    + "Run `fundmail --store \(to) verify` before you use it.")
            try Console.line(
                "Sign-ins are as they were then: sessions, passwords, app passwords and second factors that were "
                    + "ended, changed or removed since are good again, and so are people who were disabled since "
                    + "(docs/administering.md, after a restore).")
        }
        guard report.damages.isEmpty else {
            throw CommandError(.input, "The backup is damaged. All else was restored.")
        }
    }

    private func show(_ states: [BackupState]) throws {
        if json {
            for state in states {
                try Console.write(
                    JSONWriter.line { line in
                        line.field("state", state.name)
                        line.field("time", Clock.timestamp(state.time))
                        line.field("commits", state.commits)
                        line.field("database_bytes", state.databaseBytes)
                        line.field("problem", state.problem)
                    })
            }
            return
        }
        let rows = states.map { state in
            [
                state.name ?? "(latest)", Clock.local(state.time), "\(state.commits)",
                Quantity.display(bytes: state.databaseBytes),
            ]
        }
        let table = Table(["STATE", "TIME", .number("COMMITS"), .number("DATABASE")], rows)
        try Console.write(table.rendered(width: Console.outputWidth))
        for state in states {
            guard let name = state.name, let problem = state.problem else { continue }
            Console.warn(
                "\(name): \(problem); `restore --state` may give it back all the same, and the next `backup` makes the "
                    + "list anew")
        }
    }
}
