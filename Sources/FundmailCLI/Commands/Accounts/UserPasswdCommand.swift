import ArgumentParser
import FundCore
import FundServer
import FundStore
import Terminal

struct UserPasswdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Set the password with which a user signs in.",
        discussion: """
            Asks twice at a terminal; otherwise takes one line from standard input. All sessions of the user end, and \
            so do app passwords.

            Examples:
              fundmail user passwd ann@example.com
              fundmail user passwd ann@example.com --generate
            """)

    @OptionGroup var choice: UserChoice
    @Flag(help: "Make up a password and print it.")
    var generate = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        let user = try await store.administration.user(choice.email)
        let password = generate ? Password.generate() : try SecretInput.newPassword(for: user.user.email)
        if let problem = Password.problem(with: password, addresses: user.addresses)?.text {
            throw CommandError(.input, "\(problem.prefix(1).uppercased())\(problem.dropFirst()); nothing was changed.")
        }
        try await Accounts(store: store.accounts, scrypt: DebugSwitches.passwordCost)
            .setPassword(password, of: user.user, actor: Workspace.actor)
        try Console.line(generate ? password : "\(TerminalText.clean(user.user.email)) has a new password.")
        try store.close()
    }
}
