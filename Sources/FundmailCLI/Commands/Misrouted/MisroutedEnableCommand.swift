import ArgumentParser
import Ingest

struct MisroutedEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enable the disabled sender of kept messages, and file what waited.",
        discussion: """
            All messages must be of one user. The trust checks did not look at mail of a disabled user: name the \
            user's address once more when you are sure that the mail is genuine.

            Example:
              fundmail misrouted enable 12 --alike --confirm-address ann@example.com
            """)

    @OptionGroup var remedy: RemedyOptions
    @Option(help: ArgumentHelp("The address that names the user.", valueName: "address"))
    var confirmAddress: String?
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try remedy.validate() }

    func run() async throws {
        try await remedy.run(globals) { _ in .enableSender(confirmedAddress: confirmAddress) }
    }
}
