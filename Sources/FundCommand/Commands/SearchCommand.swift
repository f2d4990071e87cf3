import ArgumentParser
import Foundation
import FundClient
import Terminal

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find files, folders, mail and notes in which all words occur.",
        discussion: """
            Examples:
              fund search quarterly figures
              fund search invoice --in Fund1 --type file
            """)

    @Argument(help: "Words; all must occur.")
    var words: [String]

    @Option(name: .customLong("in"), help: ArgumentHelp("Only in this fund.", valueName: "fund"))
    var fund: String?

    @Option(help: ArgumentHelp("Only things of this kind.", valueName: "kind"))
    var type: SearchedKind?

    @Option(
        help: ArgumentHelp("Only mail of senders whose address contains this, and its files.", valueName: "part"))
    var sender: String?

    @Option(help: ArgumentHelp("The number of results at most, up to 500.", valueName: "count"))
    var limit = 50

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard (1...Session.maxPageSize).contains(limit) else { throw ValidationError("--limit must be from 1 to 500.") }
    }

    func run() async throws {
        try await globals.withSession { session in
            var filter = SearchFilter(kind: type.flatMap { SearchHit.Kind(rawValue: $0.rawValue) }, sender: sender)
            filter.fund = try await session.existingFund(ifNamed: fund)
            let page = try await session.search(words.joined(separator: " "), filter, limit: limit)
            try Listing(
                items: page.elements.map(HitLine.init), ifEmpty: "Nothing was found.",
                columns: ["KIND", .number("ID"), .shrinking("FUND"), .shrinking("NAME"), "DATE", .shrinking("WORDS")]
            ) { hit in
                [hit.type, "\(hit.id)", hit.fundName, hit.title, WrittenTime.local(hit.date), hit.excerpt]
            }.write(json: globals.json)
            if page.next != nil, !globals.json, !globals.quiet {
                Console.error("There is more; --limit shows up to \(Session.maxPageSize).\n")
            }
        }
    }
}

enum SearchedKind: String, CaseIterable, ExpressibleByArgument { case folder, file, email, note }
