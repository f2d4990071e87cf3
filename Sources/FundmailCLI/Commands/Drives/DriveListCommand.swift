import ArgumentParser
import FundCore
import FundStore
import Terminal

struct DriveListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the drives of all people.",
        discussion: """
            A drive fails when the last thing that was asked of its store did, or when one of its watched folders \
            cannot be looked at or has stopped.

            Examples:
              fundmail drive list --failing
              fundmail drive list --json
            """)

    @Flag(help: "Only drives that fail.") var failing = false
    @Flag(help: "Print one JSON object a line.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore(.readOnly)
        let drives = try await ListPage.all { try await store.drives.allDrives($0) }
            .filter { !failing || $0.isFailing }
        try Listing(
            items: drives, ifEmpty: failing ? "No drive fails." : "There is no drive.",
            columns: [
                .number("ID"), .shrinking("OWNER"), .shrinking("NAME"), "KIND", .shrinking("HOST"), "ADDED",
                .number("WATCHED"), .shrinking("PROBLEM"),
            ],
            row: { owned in
                let drive = owned.drive
                return [
                    "\(drive.id)", owned.owner, drive.name, drive.kind.title, drive.host, Clock.local(drive.addedAt),
                    owned.watches == 0 ? "" : "\(owned.watches)", owned.problemText,
                ]
            },
            fields: { json, owned in
                let drive = owned.drive
                json.field("id", drive.id.rawValue)
                json.field("owner", owned.owner)
                json.field("name", drive.name)
                json.field("kind", drive.kind.rawValue)
                json.field("host", drive.host)
                json.field("added_at", Clock.timestamp(drive.addedAt))
                json.field("problem", drive.problem?.rawValue)
                json.field("watches", owned.watches)
                json.field("failing_watches", owned.failingWatches)
                json.field("watch_problem", owned.watchProblem?.rawValue)
            }
        ).write(json: json)
    }
}
