import ArgumentParser
import FundStore
import FundCore
import Terminal

/// `trash`: what users deleted and can still restore.
struct TrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "Mail, files and notes that users deleted and can still restore.",
        discussion: """
            Deleted items are removed by themselves after `retention: {deleted: DAYS}`. On a full disk they can be \
            removed at once.

            Examples:
              fundmail trash list
              fundmail trash empty --user ann@example.com
            """,
        subcommands: [List.self, Empty.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List how much each user has deleted, most first.")

        @Flag(help: "Print one JSON object a line.") var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let records = try await Workspace(globals).openStore(.readOnly).maintenance.trash()
            if json { return try Console.write(TrashCommand.lines(records)) }
            try Console.write(TrashCommand.table(records))
        }
    }

    struct Empty: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "empty", abstract: "Remove deleted items for good.",
            discussion: """
                The items cannot be restored afterwards. Works while `serve` runs, and on a full disk. Files of mail \
                are still kept in their raw messages, and misrouted mail always stays.

                Examples:
                  fundmail trash empty --user ann@example.com
                  fundmail trash empty --all
                """)

        @Option(help: ArgumentHelp("Only items of this user; may be repeated.", valueName: "email"))
        var user: [String] = []
        @Flag(help: "Items of all users.") var all = false
        @OptionGroup var globals: GlobalOptions

        func validate() throws {
            if all == user.isEmpty { return }
            throw ValidationError(all ? "--all and --user exclude each other" : "say whose: --user EMAIL, or --all")
        }

        func run() async throws {
            let store = try Workspace(globals).openStore()
            var users: [User.ID?] = []
            for email in user { users.append(try await store.administration.user(email).user.id) }
            var (items, bytes, freed) = (0, Int64(0), Int64(0))
            for user in all ? [nil] : users {
                let report = try await store.maintenance.emptyTrash(of: user, actor: Workspace.actor)
                items += report.items
                bytes += report.bytes
                freed += report.freedBytes
            }
            try store.close()
            try Console.line(TrashCommand.outcome(items: items, bytes: bytes, freed: freed))
        }
    }

    /// Words for what was done. The bytes that the disk has back are measured: they may come later.
    static func outcome(items: Int, bytes: Int64, freed: Int64) -> String {
        let text = "Took away \(items) items; \(Quantity.display(bytes: freed)) are free again."
        guard freed < bytes / 2 else { return text }
        return text
            + " \(Quantity.display(bytes: bytes - freed)) come free later: a backup runs, somebody loads them, or "
            + "`fundmail serve` has to rewrite a segment."
    }

    private static func table(_ records: [TrashRecord]) -> String {
        guard !records.isEmpty else { return "Nobody has deleted anything that is still there.\n" }
        let rows = records.map { [$0.email, "\($0.items)", Quantity.display(bytes: $0.bytes)] }
        return Table(["USER", "ITEMS", "SIZE"], rows).rendered(width: Console.outputWidth) + "\n"
    }

    private static func lines(_ records: [TrashRecord]) -> [UInt8] {
        JSONWriter.lines(records) { line, record in
            line.field("user", record.email)
            line.field("items", record.items)
            line.field("bytes", record.bytes)
        }
    }
}
