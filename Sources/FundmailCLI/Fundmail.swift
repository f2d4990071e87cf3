import ArgumentParser
import FundStore
import Ingest
import Logging
import MailFetch
import MailParse
import Yams

@main
struct Fundmail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fundmail", abstract: "Files mail into funds.")
}
