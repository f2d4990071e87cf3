import ArgumentParser
import FundCore
import FundStore
import Terminal

/// `links`: what people share by links, and ending them.
struct LinksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links", abstract: "Links by which people share, and ending them.",
        discussion: """
            People make links on the pages of `fundmail serve`. Here an administrator sees whose they are and how \
            often they were opened, and ends them; `links: off` in the configuration turns all of them off.

            Examples:
              fundmail links list
              fundmail links list --owner ann@example.com --json
              fundmail links revoke 12 13
            """,
        subcommands: [LinksListCommand.self, LinksRevokeCommand.self])
}

struct LinksListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List links and their states, the latest first.",
        discussion: """
            States: live; used_up (its openings or its room for files); expired; revoked. What a link shows is said by \
            kind and number alone.

            Example:
              fundmail links list --owner ann@example.com
            """)

    @Option(help: ArgumentHelp("Only links of this person.", valueName: "address")) var owner: String?
    @Flag(help: "Only links that are live.") var live = false
    @Flag(help: "Print one JSON object a line.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore(.readOnly)
        var user: User.ID?
        if let owner { user = try await store.administration.user(owner).user.id }
        let now = Timestamp.now
        let links = try await ListPage.all { [user] in try await store.links.links(of: user, $0) }
            .filter { !live || $0.link.state(at: now) == .live }
        try Listing(
            items: links, ifEmpty: "There is no such link.",
            columns: [
                .number("ID"), "STATE", .shrinking("OWNER"), "FOR", .shrinking("SHOWS"), .number("OPENINGS"),
                "LAST OPENED", "GOOD UNTIL",
            ],
            row: { opened in
                let link = opened.link
                let most = link.maxOpenings.map { " of \($0)" } ?? ""
                return [
                    "\(link.id)", link.state(at: now).rawValue, opened.owner.email,
                    link.purpose.rawValue + (link.isWatermarked ? ", marked" : ""),
                    link.items.map { "\($0.kind) \($0.number)" }.joined(separator: ", "),
                    "\(link.openings)\(most)", link.lastOpenedAt.map(Clock.local) ?? "", Clock.local(link.expiresAt),
                ]
            },
            fields: { json, opened in
                json.link(opened, at: now) { $0.field($1, $2.map(Clock.timestamp)) }
            }
        ).write(json: json)
    }
}

struct LinksRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End links: they show nothing any more.",
        discussion: """
            Downloads that run by them are cut off within a second. A link that was ended cannot be made live again.

            Examples:
              fundmail links revoke 12
              fundmail links revoke --owner ann@example.com
            """)

    @Argument(help: "The numbers of the links, as `list` shows them.") var ids: [ShareLink.ID] = []
    @Option(help: ArgumentHelp("All links of this person.", valueName: "address")) var owner: String?
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard ids.isEmpty != (owner == nil) else {
            throw ValidationError("Give the numbers of links, or --owner.")
        }
    }

    func run() async throws {
        let store = try Workspace(globals).openStore()
        var wanted = ids
        if let owner {
            let user = try await store.administration.user(owner).user.id
            wanted = try await ListPage.all { try await store.links.links(of: user, $0) }
                .filter { $0.link.revokedAt == nil }.map(\.link.id)
        }
        if wanted.isEmpty { try Console.line("There is no such link.") }
        for id in wanted {
            let isEnded = try await store.links.revokeLink(id, of: nil, actor: Workspace.actor)
            try Console.line(isEnded ? "\(id): ended." : "\(id): had ended before.")
        }
        try store.close()
    }
}
