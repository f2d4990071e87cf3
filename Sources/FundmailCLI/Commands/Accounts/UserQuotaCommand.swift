import ArgumentParser
import FundCore
import FundStore
import Terminal

struct UserQuotaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota", abstract: "Limit how much a user's files may take.",
        discussion: """
            All that is in the funds that belong to the user counts: each file in full, with its older versions and \
            with what lies in the trash, and the attachments of filed mail, inline pictures among them. A file that \
            came by mail counts with its mail: its room is free once both are deleted for good. Notes, letters and the \
            text of mail do not count, nor does mail that waits at the desk.

            Without LIMIT it shows what is used. default is what quota: in the configuration has for each person, none \
            lifts the limit for this one. A lower limit touches nothing that is there: it only keeps more from coming \
            in. Mail that finds no room waits at the desk as over_quota; `fundmail misrouted retry` files it.

            Examples:
              fundmail user quota ann@example.com
              fundmail user quota ann@example.com 50GB
              fundmail user quota ann@example.com default
            """)

    @OptionGroup var choice: UserChoice
    @Argument(help: ArgumentHelp("A size such as 50GB; none; default.", valueName: "limit"))
    var limit: QuotaArgument?
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore(limit == nil ? .readOnly : .existing)
        var record = try await store.administration.user(choice.email)
        if let limit {
            record = try await store.administration.changeUser(
                record.user.id, UserChange(quota: limit.quota), actor: Workspace.actor)
        }
        let used = Quantity.display(bytes: record.usedBytes)
        let origin = record.quota == .standard ? " (default)" : ""
        let room =
            record.quota.limit(store.administration.storageLimits).map { limit in
                let percent = StorageLimits.percent(record.usedBytes, of: limit)
                return "\(used) of \(Quantity.display(bytes: limit))\(origin), \(percent) %"
            } ?? "\(used), without a limit\(origin)"
        try Console.line("\(TerminalText.clean(record.user.email)) uses \(room).")
        try store.close()
    }
}

/// A limit on the command line.
struct QuotaArgument: ExpressibleByArgument {
    let quota: StorageQuota

    init?(argument: String) {
        switch argument {
        case "none": quota = .unlimited
        case "default": quota = .standard
        default:
            guard let bytes = Quantity.bytes(argument) else { return nil }
            quota = .bytes(bytes)
        }
    }
}
