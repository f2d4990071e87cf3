import ArgumentParser
import FundStore
import Glibc
import Ingest
import Logging
import MailFetch
import MailParse
import Yams

@main
struct Fundmail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fundmail", abstract: "Files mail into funds.")

    /// A child of the parser pool is this program too: it starts before anything else is set up.
    static func main() async {
        if CommandLine.arguments.dropFirst().first == ParseWorkerMain.command { Glibc.exit(ParseWorkerMain.run()) }
        await main(nil)
    }
}
