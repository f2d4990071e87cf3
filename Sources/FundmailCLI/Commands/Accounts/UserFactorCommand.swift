import ArgumentParser
import FundCore
import FundStore
import Terminal

struct UserFactorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "second-factor", abstract: "Passkeys, authenticator apps and recovery codes of a user.",
        subcommands: [Show.self, Remove.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what a user signs in with besides the password.",
            discussion: "Example:\n  fundmail user second-factor show ann@example.com --json")

        @OptionGroup var choice: UserChoice
        @Flag(help: "Print one JSON object for each passkey, the authenticator app and the recovery codes.")
        var json = false
        @OptionGroup var globals: GlobalOptions

        private struct Line {
            var kind: String
            var name: String?
            var createdAt: Timestamp?
            var lastUsedAt: Timestamp?
            var left: Int?
        }

        func run() async throws {
            let store = try Workspace(globals).openStore(.readOnly)
            let user = try await choice.user(in: store)
            let factors = try await store.accounts.secondFactors(of: user.id)
            var lines = try await store.accounts.passkeys(of: user.id).map {
                Line(kind: "passkey", name: $0.name, createdAt: $0.createdAt, lastUsedAt: $0.lastUsedAt)
            }
            if let app = try await store.accounts.codeApp(of: user.id) {
                lines.append(Line(kind: "authenticator-app", createdAt: app.createdAt))
            }
            if factors.hasRecoveryCodes {
                lines.append(Line(kind: "recovery-codes", left: factors.recoveryCodesLeft))
            }
            try Listing(
                items: lines, ifEmpty: TerminalText.clean("\(user.email) has no second factor."),
                columns: ["KIND", .shrinking("NAME"), "MADE", "LAST USED", .number("LEFT")],
                row: { line in
                    [
                        line.kind, line.name ?? "", line.createdAt.map(Clock.local) ?? "",
                        line.lastUsedAt.map(Clock.local) ?? "", line.left.map { "\($0)" } ?? "",
                    ]
                },
                fields: { json, line in
                    json.field("kind", line.kind)
                    json.field("name", line.name)
                    json.field("created", line.createdAt.map(Clock.timestamp))
                    json.field("last_used", line.lastUsedAt.map(Clock.timestamp))
                    json.field("left", line.left.map { Int64($0) })
                }
            ).write(json: json)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take all second factors away from a user who lost theirs.",
            discussion: """
                The password stays, sessions end, app passwords go on. The user is told at the next sign-in, and sets \
                one up again where the configuration asks for it. Be sure who asks you.

                Example:
                  fundmail user second-factor remove ann@example.com
                """)

        @OptionGroup var choice: UserChoice
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await choice.user(in: store)
            let wereThere = try await store.accounts.removeSecondFactors(
                of: user.id, at: .now, actor: Workspace.actor)
            let words = wereThere ? "has no second factor any more" : "had no second factor"
            try Console.line("\(TerminalText.clean(user.email)) \(words).")
            try store.close()
        }
    }
}
