import Foundation
import TestSupport
import Testing

/// Feeds and items of news by the built command. No feed is fetched: their sites do not exist.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(10))) struct NewsCommandTests {
    private static let list = """
        <?xml version="1.0"?><opml version="2.0"><body><outline text="Markets">
        <outline type="rss" text="Daily" xmlUrl="https://daily.invalid/feed"/></outline>
        <outline type="rss" text="Inner" xmlUrl="ftp://inner.invalid/feed"/>
        <outline type="rss" text="Weekly" xmlUrl="https://weekly.invalid/feed"/></body></opml>
        """

    private let folder: String
    private let program: BuiltProgram

    init() throws {
        folder = try TestFile.makeFolder("fund")
        program = .fund(in: folder)
    }

    private func fund(_ words: String...) async throws -> BuiltProgram.Finished { try await program.run(words) }

    @Test func takesAndGivesLists() async throws {
        let server = try await FundmailServer()
        #expect(try await fund("login", server.url, FundmailServer.user).isSuccess)
        try TestFile.write(Array(Self.list.utf8), to: folder + "/feeds.opml")
        let taken = try await fund("news", "import", "feeds.opml")
        let left = "Left out, because they cannot be fetched or the list is full: 1."
        #expect(taken.output == "2 feeds are added. \(left)\n", "\(taken)")
        let feeds = try jsonLines(try await fund("news", "feeds", "--json").output)
        #expect(feeds.count == 2 && feeds.contains { $0["folder"] as? String == "Markets" }, "\(feeds)")
        let given = try await fund("news", "export")
        #expect(given.output.contains("xmlUrl=\"https://daily.invalid/feed\""), "\(given)")
        let ofFund = try await fund("news", "import", "feeds.opml", "--in", "Fund1")
        #expect(ofFund.isSuccess, "\(ofFund)")
        let id = try #require(feeds.first?["id"] as? Int)
        #expect(try await fund("news", "rm", "\(id)").isSuccess)
        #expect(try await fund("news", "rm", "\(id)").status == 1)
        #expect(try jsonLines(try await fund("news", "feeds", "--json").output).count == 1)
        #expect(try jsonLines(try await fund("news", "feeds", "--in", "Fund1", "--json").output).count == 2)
        try TestFile.write(Array("no list".utf8), to: folder + "/other.txt")
        #expect(try await fund("news", "import", "other.txt").status == 1)
        #expect(try await fund("news", "import", "none.opml").status == 1)
        try await server.kill()
    }

    @Test func saysWhatIsNotThere() async throws {
        let server = try await FundmailServer()
        #expect(try await fund("login", server.url, FundmailServer.user).isSuccess)
        #expect(try await fund("news", "list").output.contains("There is no such news."))
        #expect(try await fund("news", "search", "turbine", "rates").output == "Nothing was found.\n")
        #expect(try await fund("news", "search", "turbine", "--in", "Fund1", "--json").output.isEmpty)
        #expect(try await fund("news", "search").status == 64)
        #expect(try await fund("news", "show", "1").status == 1)
        #expect(try await fund("news", "star", "1").status == 1)
        #expect(try await fund("news", "keep", "1", "Fund1").status == 1)
        #expect(try await fund("news", "list", "--unread", "--starred").status == 64)
        let wrong = try await fund("news", "add", "ftp://daily.invalid")
        #expect(wrong.status == 1 && wrong.errors.contains("this is no web address"), "\(wrong)")
        #expect(try await fund("news", "read").output == "0 items are marked as read.\n")
        try await server.kill()
    }
}
