import FundCore
import Glibc
import TestSupport
import Testing

@testable import FundStore

/// Files and claims that processes leave behind, and take back.
@Suite struct PreviewResetTests {
    private static let now = Timestamp(1_000_000)

    private func key(_ text: String) -> RenditionKey { RenditionKey(.of(Array(text.utf8)), .thumbnail) }

    /// Finishes a piece of work the way a worker does.
    private func finish(_ key: RenditionKey, _ store: SQLPreviewStore, failure: RenditionFailure? = nil) async throws {
        _ = try await store.enqueue([PreviewOrder(key, size: 10, .asked)], at: Self.now)
        let job = try #require(try await store.take(PreviewJobFilter(leastUrgent: .asked), at: Self.now))
        var result = PreviewResult(recipe: 1)
        result.failure = failure
        if failure == nil {
            let bytes = Array("RIFF....WEBP".utf8)
            result.made = [PreviewContent(Rendition(key, digest: .of(bytes), size: bytes.count), bytes: bytes)]
        }
        try await store.finish(job, with: result, then: [], at: Self.now)
    }

    @Test func draftsOfDeadProcessesGo() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        try await finish(key("a"), store)
        let renditions = "\(harness.folder)/store/cache/renditions"
        let before = try DiskDirectory.names(in: renditions)
        let draft = "\(renditions)/\(DiskDirectory.uniqueName(prefix: "new"))"
        close(open(draft, O_WRONLY | O_CREAT, 0o600))
        // The process that works may be writing it.
        _ = try await store.status()
        #expect(access(draft, F_OK) == 0)
        try await store.resumeWork()
        #expect(try DiskDirectory.names(in: renditions) == before)
        guard case .ready(let rendition)? = try await store.state(of: key("a")) else {
            Issue.record("it was swept away")
            return
        }
        #expect(try await store.bytes(of: rendition) != nil)
    }

    /// Other processes learn of it by the number.
    @Test func resetsAreCounted() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        let other = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        #expect(try await store.resetCount() == 0)
        try await finish(key("a"), store, failure: .damaged)
        #expect(try await store.resetCount() == 0)
        #expect(try await other.previews.forgetFailures([.encrypted]) == 0)
        #expect(try await store.resetCount() == 0)
        #expect(try await other.previews.forgetFailures([.damaged]) == 1)
        #expect(try await store.resetCount() == 1)
        for number in 2...3 {
            try await other.previews.removeAll()
            #expect(try await store.resetCount() == Int64(number))
        }
        try other.close()
    }
}
