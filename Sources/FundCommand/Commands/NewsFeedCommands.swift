import ArgumentParser
import Foundation
import FundClient
import Terminal

struct NewsFeedsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feeds", abstract: "List your feeds, or those of a fund.",
        discussion: """
            Example:
              fund news feeds
            """)

    @Option(name: .customLong("in"), help: ArgumentHelp("Feeds of this fund, not your own.", valueName: "fund"))
    var fund: String?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let place = try await session.existingFund(ifNamed: fund)
            try Listing(
                items: try await session.newsFeeds(of: place), ifEmpty: "There are no feeds.",
                columns: [
                    .number("ID"), .number("UNREAD"), .shrinking("FOLDER"), .shrinking("NAME"), .shrinking("ADDRESS"),
                    .shrinking("PROBLEM"),
                ]
            ) { feed in
                [
                    "\(feed.id)", "\(feed.unread)", feed.folder, feed.title, feed.address,
                    feed.isFailing ? feed.detail ?? "" : "",
                ]
            }.write(json: globals.json)
        }
    }
}

struct NewsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add the feed of a site, by its address or that of a page.",
        discussion: """
            Examples:
              fund news add https://www.example.com
              fund news add https://www.example.com/feed.xml --folder Markets
              fund news add https://www.example.com --in Fund1
            """)

    @Argument(help: "The address of a feed, or of a page that names one.")
    var address: String

    @Option(name: .customLong("in"), help: ArgumentHelp("The fund that gets the feed, not you.", valueName: "fund"))
    var fund: String?

    @Option(help: ArgumentHelp("The folder of your list to put it in.", valueName: "name"))
    var folder: String?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let place = try await session.existingFund(ifNamed: fund)
            do {
                let feed = try await session.addNewsFeed(at: address, to: place, folder: folder)
                if globals.json { return try JSONLine.write(feed) }
                try globals.say("Feed \(feed.id), \(feed.title), is added.")
            } catch let error as ClientError where error.code == .conflict {
                for feed in try await session.findNewsFeeds(at: address) {
                    Console.error(TerminalText.clean("\(feed.address)  \(feed.title)") + "\n")
                }
                throw CommandError(.refused, "The page names several feeds: add one of those above by its address.")
            }
        }
    }
}

struct NewsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove feeds from your list or that of a fund.",
        discussion: """
            Items that you starred stay among the starred ones.

            Example:
              fund news rm 4
            """)

    @Argument(help: "The numbers that `fund news feeds` shows.")
    var ids: [Int64]

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withEach("Feed", ids, outcome: "is removed.") { session, id in
            try await session.removeNewsFeed(NewsFeedID(id))
        }
    }
}

struct NewsImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add the feeds of another reader's list (OPML).",
        discussion: """
            Example:
              fund news import feeds.opml
            """)

    @Argument(help: "The file; without it, standard input is read.")
    var file: String?

    @Option(name: .customLong("in"), help: ArgumentHelp("The fund that gets the feeds, not you.", valueName: "fund"))
    var fund: String?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let bytes: [UInt8]
        if let file {
            guard let content = FileManager.default.contents(atPath: file) else {
                throw CommandError(.refused, "The file \(file) cannot be read.")
            }
            bytes = Array(content)
        } else {
            bytes = Array(try NoteInput.standardInput().utf8)
        }
        try await globals.withSession { session in
            let place = try await session.existingFund(ifNamed: fund)
            let result = try await session.importNewsFeeds(bytes, to: place)
            let reason = "because they cannot be fetched or the list is full"
            let left = result.leftOut > 0 ? " Left out, \(reason): \(result.leftOut)." : ""
            try globals.say((result.added == 1 ? "1 feed is added." : "\(result.added) feeds are added.") + left)
        }
    }
}

struct NewsExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write your feeds, or those of a fund, as a list for other readers (OPML).",
        discussion: """
            Example:
              fund news export > feeds.opml
            """)

    @Option(name: .customLong("in"), help: ArgumentHelp("Feeds of this fund, not your own.", valueName: "fund"))
    var fund: String?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let place = try await session.existingFund(ifNamed: fund)
            try Console.write(try await session.exportNewsFeeds(of: place))
        }
    }
}
