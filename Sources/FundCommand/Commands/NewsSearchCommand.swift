import ArgumentParser
import FundClient
import Terminal

struct NewsSearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find items of all your feeds, and those of your funds, by their words.",
        discussion: """
            Examples:
              fund news search interest rates
              fund news search turbine --in Fund1 --json
            """)

    @Argument(help: "Words; all must occur.")
    var words: [String]

    @Option(name: .customLong("in"), help: ArgumentHelp("Only news of this fund.", valueName: "fund"))
    var fund: String?

    @Option(help: ArgumentHelp("The number of items at most.", valueName: "count"))
    var limit = 50

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit must be 1 or more.") }
    }

    func run() async throws {
        try await globals.withSession { session in
            let filter = SearchFilter(fund: try await session.existingFund(ifNamed: fund))
            let hits = try await Page.first(limit) {
                try await session.searchNews(words.joined(separator: " "), filter, after: $0, limit: $1)
            }
            try Listing(items: hits, ifEmpty: "Nothing was found.", columns: NewsItem.columns, row: \.item.row)
                .write(json: globals.json)
        }
    }
}

extension NewsItem {
    /// Columns of a list of items.
    static let columns: [Table.Column] = [.number("ID"), "", "PUBLISHED", .shrinking("FEED"), .shrinking("TITLE")]

    /// Cells of the item, in the order of `columns`.
    var row: [String] {
        let mark = (isRead ? " " : "•") + (isStarred ? "*" : "")
        return ["\(id)", mark, WrittenTime.local(publishedAt), feedTitle, title.isEmpty ? excerpt : title]
    }
}
