import ArgumentParser
import FundServer
import FundStore
import FundCore
import Terminal

struct UserTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Tokens and app passwords with which a user's programs sign in.",
        subcommands: [List.self, AddApp.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the tokens and app passwords of a user.",
            discussion: "Example:\n  fundmail user token list ann@example.com --json")

        @OptionGroup var choice: UserChoice
        @Flag(help: "Show expired and revoked ones, too.")
        var all = false
        @Flag(help: "Print one JSON object a token.")
        var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore(.readOnly)
            let user = try await choice.user(in: store)
            let tokens = try await store.accounts.tokens(of: user.id).filter { all || $0.isLive(at: Timestamp.now) }
            try Listing(
                items: tokens, ifEmpty: TerminalText.clean("\(user.email) has no tokens."),
                columns: [.number("ID"), "KIND", "REACH", .shrinking("LABEL"), "MADE", "LAST USED", "GOOD UNTIL"],
                row: { token in
                    [
                        "\(token.id)", token.kind.rawValue, Self.reach(token) ?? "all", token.label,
                        Clock.local(token.createdAt),
                        token.lastUsedAt.map(Clock.local) ?? "never", Self.end(token),
                    ]
                },
                fields: { line, token in
                    line.field("id", token.id)
                    line.field("kind", token.kind.rawValue)
                    line.field("reach", Self.reach(token))
                    line.field("label", token.label)
                    line.field("created", Clock.timestamp(token.createdAt))
                    line.field("last_used", token.lastUsedAt.map(Clock.timestamp))
                    line.field("expires", token.expiresAt.map(Clock.timestamp))
                    line.field("revoked", token.revokedAt.map(Clock.timestamp))
                }
            ).write(json: json)
        }

        /// Nil for what reaches all that its owner may do.
        private static func reach(_ token: TokenRecord) -> String? { token.kind == .app ? token.reach.rawValue : nil }

        private static func end(_ token: TokenRecord) -> String {
            if token.revokedAt != nil { return "revoked" }
            guard let expiresAt = token.expiresAt else { return "for good" }
            return token.isLive(at: Timestamp.now) ? Clock.local(expiresAt) : "expired"
        }
    }

    struct AddApp: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-app", abstract: "Make a password for one program of a user, such as a WebDAV client.",
            discussion: """
                Prints the password, once. The program signs in with any address of the user and this password. \
                Revoking it leaves the user's own password and other programs alone.

                With the reach `files` it opens funds, folders and files over WebDAV and the web API, and address \
                books. With the reach `read` it reads mail and notes, too, and changes nothing: for programs that \
                search and read, such as `fund mcp`.

                Examples:
                  fundmail user token add-app ann@example.com --label "tablet"
                  fundmail user token add-app ann@example.com --label "assistant" --reach read
                """)

        @OptionGroup var choice: UserChoice
        @Option(help: "The name by which the user knows the program.")
        var label = "app"
        @Option(help: "What the program may do: files or read.")
        var reach = TokenReach.files
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await choice.user(in: store)
            let token = try await Accounts(store: store.accounts).addAppPassword(
                label, reach: reach, for: user, at: Timestamp.now, actor: Workspace.actor)
            try Console.line(token.characters)
            try store.close()
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "End tokens and app passwords of a user.",
            discussion: """
                Example:
                  fundmail user token revoke ann@example.com 12 13
                  fundmail user token revoke ann@example.com --label "tablet"
                """)

        @OptionGroup var choice: UserChoice
        @Argument(help: ArgumentHelp("Numbers that `fundmail user token list` shows.", valueName: "id"))
        var ids: [TokenRecord.ID] = []
        @Option(help: "Only those with this label.")
        var label: String?
        @Flag(help: "All tokens and app passwords of the user.")
        var all = false
        @OptionGroup var globals: GlobalOptions

        func validate() throws {
            let ways = [!ids.isEmpty, label != nil, all].filter { $0 }.count
            if ways != 1 { throw ValidationError("Say which: numbers, --label or --all.") }
        }

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await choice.user(in: store)
            let known = try await store.accounts.tokens(of: user.id)
            for id in ids where !known.contains(where: { $0.id == id }) {
                throw CommandError(.input, TerminalText.clean("\(user.email) has no token \(id); nothing was changed."))
            }
            let chosen = known.filter { token in
                token.revokedAt == nil && (all || ids.contains(token.id) || token.label == label)
            }
            if let label, chosen.isEmpty {
                throw CommandError(
                    .input,
                    TerminalText.clean("\(user.email) has no token with the label \(label); nothing was changed."))
            }
            var count = 0
            for token in chosen
            where try await store.accounts.revokeToken(token.id, of: user.id, actor: Workspace.actor) {
                count += 1
            }
            try Console.line("\(count) of the tokens of \(user.email) revoked.")
            try store.close()
        }
    }
}

extension TokenReach: ExpressibleByArgument {}
