import ArgumentParser
import Ingest

struct MisroutedCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make the fund that kept messages name, and file what waited for it.",
        discussion: """
            It is for mail of registered users with an unknown tag. All messages must be of one user and have one tag; \
            the fund is that user's.

            Example:
              fundmail misrouted create 12 --alike
            """)

    @OptionGroup var remedy: RemedyOptions
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try remedy.validate() }

    func run() async throws { try await remedy.run(globals) { _ in .createFund } }
}
