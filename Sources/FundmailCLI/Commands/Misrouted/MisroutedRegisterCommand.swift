import ArgumentParser
import FundCore
import FundStore
import Ingest

struct MisroutedRegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Register the sender of kept messages for a user, and file what waited.",
        discussion: """
            It is for mail of unknown senders. All messages must be of one sender. An address that no trust check \
            confirmed may be forged: it is registered only with --confirm-address.

            Examples:
              fundmail misrouted register 12 --user ann@example.com
              fundmail misrouted register 12 --alike --user ann@example.com --confirm-address ann@home.example
            """)

    @OptionGroup var remedy: RemedyOptions
    @Option(help: ArgumentHelp("Any address of the user whose mail it is.", valueName: "email")) var user: String
    @Option(help: ArgumentHelp("The sender's address, when you are sure that it is the user's.", valueName: "address"))
    var confirmAddress: String?
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try remedy.validate() }

    func run() async throws {
        try await remedy.run(globals) { store in
            .register(try await store.administration.user(user).user.id, confirmedAddress: confirmAddress)
        }
    }
}
