import FundCore

@testable import MailParse

/// Reads feeds in this process, where the server has a child for it.
struct DirectFeedParser: FeedParser {
    func readFeed(_ document: FeedDocument) async throws -> FeedReading? { FeedReader.read(document) }
}
