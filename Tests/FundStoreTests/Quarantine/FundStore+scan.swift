import FundCore
import Testing

@testable import FundStore

extension FundStore {
    /// Takes in a verdict on a content, as a scanner gives it.
    func scan(_ content: ContentDigest, _ verdict: Verdict, at now: Timestamp) async throws {
        let order = PreviewOrder(RenditionKey(content, .verdict), size: 10, .scan)
        #expect(try await previews.enqueue([order], at: now) == 1)
        var filter = PreviewJobFilter(leastUrgent: .rescan)
        filter.isForScans = true
        let job = try #require(try await previews.take(filter, at: now))
        var result = PreviewResult(recipe: 1)
        result.verdict = (verdict, 1)
        try await previews.finish(job, with: result, then: [], at: now)
    }
}
