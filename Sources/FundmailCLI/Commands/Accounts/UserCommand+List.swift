import ArgumentParser
import FundStore
import FundCore

extension UserCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show all users with their addresses.",
            discussion: "Example:\n  fundmail user list --json")

        @Flag(help: "One JSON object a user.")
        var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let users = try await Workspace(globals).openStore(.readOnly).administration.users()
            if json { return try Console.write(Self.lines(users)) }
            guard !users.isEmpty else { return try Console.line("No users yet; `fundmail user add EMAIL` adds one.") }
            var table = Table([
                Table.Column(title: "USER", shrinks: true), Table.Column(title: "NAME", shrinks: true),
                Table.Column(title: "FUNDS", isNumber: true), Table.Column(title: "STATUS"),
                Table.Column(title: "OTHER ADDRESSES", shrinks: true),
            ])
            for user in users {
                let status = (user.user.isDisabled ? ["disabled"] : []) + (user.user.isAdministrator ? ["admin"] : [])
                table.add([
                    user.user.email, user.user.name ?? "", "\(user.fundCount)", status.joined(separator: ", "),
                    user.addresses.dropFirst().joined(separator: ", "),
                ])
            }
            try Console.write(table.rendered(width: Console.outputWidth))
        }

        private static func lines(_ users: [UserRecord]) -> [UInt8] {
            var writer = JSONWriter()
            for user in users {
                writer.object { line in
                    line.field("email", user.user.email)
                    line.field("name", user.user.name)
                    line.field("admin", user.user.isAdministrator)
                    line.field("disabled", user.user.isDisabled)
                    line.field("addresses", user.addresses)
                    line.field("funds", user.fundCount)
                }
                writer.endLine()
            }
            return writer.bytes
        }
    }
}
