import FundCore
import Testing

@testable import FundStore

/// Scans at which the scanner fails again and again.
@Suite struct FailedScanTests {
    private func take(_ store: SQLitePreviewStore, at time: Timestamp, again: Bool = true) async throws -> PreviewJob? {
        var filter = PreviewJobFilter(leastUrgent: .rescan)
        filter.isForScans = true
        filter.includesSecondAttempts = again
        return try await store.take(filter, at: time)
    }

    @Test func waitsLongerEachTime() async throws {
        let store = try await StoreHarness()
        let previews = store.store.previews
        let (content, start) = (ContentDigest.of(Array("bad".utf8)), Timestamp.now)
        let order = PreviewOrder(RenditionKey(content, .verdict), size: 3, .scan)
        _ = try await previews.enqueue([order], at: start)
        var time = start
        for wait in FailedScan.waits {
            let job = try #require(try await take(previews, at: time))
            #expect(try await previews.scanState(of: content) != .open)
            try await previews.noteFailedScan(job, problem: "it fails", signatures: 5, at: time)
            #expect(try await take(previews, at: time + wait - .seconds(1)) == nil)
            time = time + wait
            #expect(try await take(previews, at: time, again: false) == nil)
        }
        let last = try #require(try await take(previews, at: time))
        try await previews.noteFailedScan(last, problem: "it fails", signatures: 5, at: time)
        #expect(try await take(previews, at: time + .seconds(100_000)) == nil)
        #expect(try await previews.verdict(of: content) == nil)
        #expect(try !previews.isScanned(content))
        #expect(try await previews.scanState(of: content) == .failing)
        let failed = FailedScan(digest: content, problem: "it fails", at: time)
        #expect(try await previews.failedScans(limit: 10) == [failed])
        #expect(try await previews.forgetFailures(nil) == 1)
    }
}
