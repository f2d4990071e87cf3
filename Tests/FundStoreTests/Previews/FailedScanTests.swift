import FundCore
import Testing

@testable import FundStore

/// Scans at which the scanner fails again and again.
@Suite struct FailedScanTests {
    private func take(_ store: SQLPreviewStore, at time: Timestamp, again: Bool = true) async throws -> PreviewJob? {
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
            try await previews.noteFailedScan(job, problem: "it fails", signatures: 5, at: time)
            #expect(try await take(previews, at: time + wait - .seconds(1)) == nil)
            time = time + wait
            #expect(try await take(previews, at: time, again: false) == nil)
        }
        let last = try #require(try await take(previews, at: time))
        try await previews.noteFailedScan(last, problem: "it fails", signatures: 5, at: time)
        #expect(try await take(previews, at: time + .seconds(100_000)) == nil)
        #expect(try await previews.verdict(of: content) == nil)
        #expect(try !previews.isScanned(content, since: .none))
        let failed = FailedScan(digest: content, problem: "it fails", at: time)
        #expect(try await previews.failedScans(limit: 10) == [failed])
        #expect(try await previews.forgetFailures(nil) == 1)
    }

    private func finish(
        _ content: ContentDigest, _ verdict: Verdict, signatures: Int64, _ previews: SQLPreviewStore
    ) async throws {
        _ = try await previews.enqueue([PreviewOrder(RenditionKey(content, .verdict), size: 3, .scan)], at: .now)
        let job = try #require(try await take(previews, at: .now))
        var result = PreviewResult(recipe: 1)
        result.verdict = (verdict, signatures)
        try await previews.finish(job, with: result, then: [], at: .now)
    }

    @Test func whatIsAboveLimitsIsHeldUntilItIsReleased() async throws {
        let library = try await LibraryHarness()
        let (store, previews) = (library.store, library.store.previews)
        let large = try await library.put("large", "large").digest
        let seen = try await library.put("seen", "seen").digest
        try await finish(seen, .clean, signatures: 1, previews)
        for content in [large, seen] { try await finish(content, .limit, signatures: 2, previews) }
        #expect(try await store.quarantine.refusal(of: large) == nil)
        #expect(try await previews.failedScans(limit: 10).isEmpty)
        store.holdUnscanned()
        #expect(try await store.quarantine.refusal(of: large) == .unscanned)
        // A content that was given before stays so.
        #expect(try await store.quarantine.refusal(of: seen) == nil)
        #expect(try await previews.failedScans(limit: 10).map(\.digest) == [large])
        #expect(try await previews.forgetFailures(nil) == 1)
        // One content is given already, and the store does not have the other.
        for content in [seen, ContentDigest.of(Array("unknown".utf8))] {
            await #expect(throws: StoreError.self) {
                try await store.quarantine.release(content, actor: "admin@example.com")
            }
        }
        try await store.quarantine.release(large, actor: "admin@example.com")
        #expect(try await store.quarantine.refusal(of: large) == nil)
        #expect(try await previews.failedScans(limit: 10).isEmpty)
        // Malware that is found later is kept from people.
        try await store.quarantine.quarantine(large, malware: "Late", at: .now)
        #expect(try await store.quarantine.refusal(of: large) == .malware(name: "Late"))
    }

    @Test func workWaitsForItsScanWithoutBeingTried() async throws {
        let harness = try await StoreHarness()
        let previews = harness.store.previews
        let content = ContentDigest.of(Array("any".utf8))
        _ = try await previews.enqueue([PreviewOrder(RenditionKey(content, .thumbnail), size: 3, .asked)], at: .now)
        let filter = PreviewJobFilter(leastUrgent: .rescan)
        let job = try #require(try await previews.take(filter, at: .now))
        try await previews.postponeUntilScanned(job, at: .now, atMost: .seconds(60))
        #expect(try await previews.take(filter, at: .now + .seconds(50)) == nil)
        // It ordered the scan, whose end wakes it.
        let scan = try #require(try await take(previews, at: .now))
        #expect(scan.order.key == RenditionKey(content, .verdict))
        var result = PreviewResult(recipe: 1)
        result.verdict = (.clean, 1)
        try await previews.finish(scan, with: result, then: [], at: .now)
        let again = try #require(try await previews.take(filter, at: .now))
        // One that ended meanwhile wakes it, too.
        try await previews.postponeUntilScanned(again, at: .now, atMost: .seconds(60))
        #expect(try await previews.take(filter, at: .now) != nil)
    }

    @Test func failedScansAreTriedAgainOneByOne() async throws {
        let library = try await LibraryHarness()
        let previews = library.store.previews
        let file = try await library.put("a.txt")
        _ = try await previews.enqueue([PreviewOrder(RenditionKey(file.digest, .verdict), size: 3, .scan)], at: .now)
        var time = Timestamp.now
        for wait in FailedScan.waits + [FailedScan.pause + .seconds(1)] {
            let job = try #require(try await take(previews, at: time))
            try await previews.noteFailedScan(job, problem: "it fails", signatures: 5, at: time)
            time = time + wait
        }
        #expect(try await previews.enqueueRescans(signatures: 5, limit: 10, at: time) == 1)
        // Not in the places of what comes in.
        #expect(try await take(previews, at: time, again: false) == nil)
        let job = try #require(try await take(previews, at: time))
        try await previews.noteFailedScan(job, problem: "it fails", signatures: 5, at: time)
        // Once an hour, not six times.
        #expect(try await take(previews, at: time + .seconds(3000)) == nil)
    }

    @Test func takesTheLatestWhereThatIsWanted() async throws {
        let harness = try await StoreHarness()
        let previews = harness.store.previews
        let keys = (0..<3).map { RenditionKey(ContentDigest.of([UInt8($0)]), .verdict) }
        _ = try await previews.enqueue(keys.map { PreviewOrder($0, size: 3, .scan) }, at: .now)
        var filter = PreviewJobFilter(leastUrgent: .rescan)
        (filter.isForScans, filter.isLatestFirst) = (true, true)
        #expect(try await previews.take(filter, at: .now)?.order.key == keys[2])
        #expect(try await take(previews, at: .now)?.order.key == keys[0])
    }
}
