import ArgumentParser
import Foundation
import FundClient
import Terminal

struct NewsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "news", abstract: "Read news, and choose the feeds that bring them.",
        subcommands: [
            NewsListCommand.self, NewsSearchCommand.self, NewsShowCommand.self, NewsStarCommand.self,
            NewsKeepCommand.self, NewsReadCommand.self, NewsFeedsCommand.self, NewsAddCommand.self,
            NewsRemoveCommand.self, NewsImportCommand.self, NewsExportCommand.self,
        ])
}

struct NewsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List items of news, the latest first.",
        discussion: """
            Examples:
              fund news list --unread
              fund news list --in Fund1 --limit 20
            """)

    @Flag(help: "Only items that you have not read.")
    var unread = false

    @Flag(help: "Only items that you starred.")
    var starred = false

    @Option(name: .customLong("in"), help: ArgumentHelp("News of this fund, not your own.", valueName: "fund"))
    var fund: String?

    @Option(help: ArgumentHelp("Only items of this feed, as `fund news feeds` numbers it.", valueName: "id"))
    var feed: Int64?

    @Option(help: ArgumentHelp("Only items in which all these words occur.", valueName: "words"))
    var words: String?

    @Option(help: ArgumentHelp("The number of items at most.", valueName: "count"))
    var limit = 50

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit must be 1 or more.") }
        guard !unread || !starred else { throw ValidationError("--unread and --starred exclude each other.") }
    }

    func run() async throws {
        try await globals.withSession { session in
            var filter = NewsFilter(
                feed: feed.map { NewsFeedID($0) }, isUnread: unread, isStarred: starred, words: words)
            filter.fund = try await session.existingFund(ifNamed: fund)
            let items = try await Page.first(limit) { [filter] in
                try await session.news(filter, after: $0, limit: $1)
            }
            try Listing(items: items, ifEmpty: "There is no such news.", columns: NewsItem.columns, row: \.row)
                .write(json: globals.json)
        }
    }
}

struct NewsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an item of news with its text, and mark it as read.",
        discussion: """
            Example:
              fund news show 31
            """)

    @Argument(help: "The number that `fund news list` shows.")
    var id: Int64

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let article = try await session.newsArticle(NewsItemID(id))
            if !article.isRead { try await session.markNews(article.id, isRead: true) }
            if globals.json { return try JSONLine.write(article) }
            try Console.line("Feed:       \(article.feedTitle)")
            try Console.line("Title:      \(article.title)")
            if let author = article.author { try Console.line("Author:     \(author)") }
            try Console.line("Published:  \(WrittenTime.local(article.publishedAt))")
            if let link = article.link { try Console.line("Address:    \(link)") }
            try Console.write(Array(("\n" + TerminalText.cleanLines(article.text) + "\n").utf8))
        }
    }
}

struct NewsStarCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "star", abstract: "Star items of news, which keeps them for good.",
        discussion: """
            Examples:
              fund news star 31 32
              fund news star 31 --off
            """)

    @Argument(help: "The numbers that `fund news list` shows.")
    var ids: [Int64]

    @Flag(help: "Take the stars away.")
    var off = false

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withEach("Item", ids, outcome: nil) { session, id in
            try await session.markNews(NewsItemID(id), isStarred: !off)
        }
    }
}

struct NewsKeepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep", abstract: "Keep an item of news in a fund, as a note, a text file or a PDF.",
        discussion: """
            Examples:
              fund news keep 31 Fund1
              fund news keep 31 Fund1 --file
              fund news keep 31 Fund1 --pdf
            """)

    @Argument(help: "The number that `fund news list` shows.")
    var id: Int64
    @Argument(help: "The fund to keep it in.")
    var fund: String

    @Flag(help: "A text file in place of a note.")
    var file = false
    @Flag(help: "A PDF in place of a note.")
    var pdf = false

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        if file && pdf { throw ValidationError("Give --file or --pdf, not both.") }
    }

    func run() async throws {
        try await globals.withSession { session in
            let fund = try await session.existingFund(named: fund)
            let form: KeptNewsForm = pdf ? .pdf : file ? .file : .note
            let kept = try await session.keepNews(NewsItemID(id), in: fund.id, as: form)
            try globals.say("\(form == .note ? "Note" : "File") \(kept) is in \(fund.name).")
        }
    }
}

struct NewsReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Mark all news, or those of one feed, as read.",
        discussion: """
            Examples:
              fund news read
              fund news read --feed 4
            """)

    @Option(name: .customLong("in"), help: ArgumentHelp("News of this fund, not your own.", valueName: "fund"))
    var fund: String?

    @Option(help: ArgumentHelp("Only items of this feed, as `fund news feeds` numbers it.", valueName: "id"))
    var feed: Int64?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let place = try await session.existingFund(ifNamed: fund)
            let count = try await session.markAllNewsRead(fund: place, feed: feed.map { NewsFeedID($0) })
            try globals.say(count == 1 ? "1 item is marked as read." : "\(count) items are marked as read.")
        }
    }
}
