import FundCore
import MailConnection
import TestSupport
import Testing

@testable import NewsFetch

/// Fetches over TLS, from a server that speaks HTTP/2.
@Suite(.startsPrograms) struct EncryptedFetchTests {
    private func fetcher(_ server: FundmailServer, caFile: String?) -> FeedFetcher {
        var reach = FetchReach.publicInternet
        reach.substitutes = ["::127.0.0.1:\(server.port)"]
        reach.limit = .seconds(60)
        reach.isAllowed = { $0.bytes == [127, 0, 0, 1] }
        reach.caFile = caFile
        return FeedFetcher(reach, cancellation: Cancellation()) { ForbiddenSites([]) }
    }

    @Test
    func checksTheCertificate() async throws {
        let server = try await FundmailServer(.valid)
        let authority = try TestAuthority.shared.get().caFile
        let fetcher = fetcher(server, caFile: authority)
        let address = try #require(NewsAddress("https://localhost/healthz"))
        // The second one takes the connection of the first.
        for _ in 0..<2 {
            guard case .document(let document) = try await fetcher.fetch(address).content else {
                Issue.record("no document")
                return
            }
            #expect(!document.bytes.isEmpty && document.address == address.text)
        }
        let other = try #require(NewsAddress("https://feeds.example/healthz"))
        for (address, fetcher) in [(other, fetcher), (address, self.fetcher(server, caFile: nil))] {
            await #expect {
                _ = try await fetcher.fetch(address)
            } throws: {
                ($0 as? FetchFailure)?.error.problem == .certificate
            }
        }
    }
}
