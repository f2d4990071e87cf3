import TestSupport
import Foundation
import Glibc
import Synchronization
import FundCore
import Testing

@testable import FundStore

@Suite struct PreviewStoreTests {
    private static let now = Timestamp(1_000_000)
    private static let webp = Array("RIFF....WEBP".utf8)

    private func key(_ text: String, _ kind: RenditionKind = .thumbnail, page: Int = 1) -> RenditionKey {
        RenditionKey(.of(Array(text.utf8)), kind, page: page)
    }

    private func order(_ key: RenditionKey, _ priority: PreviewOrder.Priority) -> PreviewOrder {
        PreviewOrder(key, size: 10, priority)
    }

    private func result(_ key: RenditionKey, _ bytes: [UInt8] = webp) -> PreviewResult {
        var result = PreviewResult(recipe: 1)
        result.info = FileInfo(.pdf)
        result.info?.pageCount = 3
        result.made = [
            PreviewContent(
                Rendition(key, digest: .of(bytes), size: bytes.count, width: 40, height: 30), bytes: bytes)
        ]
        return result
    }

    private func take(
        _ store: SQLPreviewStore, _ least: PreviewOrder.Priority = .backfill, excluding: Set<TrueType.Family> = [],
        second: Bool = false, scans: Bool = false, at time: Timestamp = now
    ) async throws -> PreviewJob? {
        var filter = PreviewJobFilter(leastUrgent: least)
        filter.excluded = excluding
        filter.includesSecondAttempts = second
        filter.isForScans = scans
        return try await store.take(filter, at: time)
    }

    /// Users come in turn where their work is equally urgent, and second attempts come last.
    @Test func usersComeInTurn() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        for number in 0..<3 {
            _ = try await store.enqueue([order(key("heavy \(number)"), .fresh).with(user: 1)], at: Self.now)
        }
        _ = try await store.enqueue([order(key("small"), .fresh).with(user: 2)], at: Self.now)
        _ = try await store.enqueue([order(key("any"), .fresh)], at: Self.now)
        func take(_ ordering: @escaping @Sendable ([User.ID?]) -> [User.ID?]) async throws -> PreviewJob? {
            var filter = PreviewJobFilter(leastUrgent: .backfill)
            filter.includesSecondAttempts = true
            return try await store.take(filter, at: Self.now, ordering: ordering)
        }
        let first = try #require(try await take { $0.filter { $0 == 1 } })
        #expect(first.order.key == key("heavy 0") && first.order.user == 1)
        var failed = PreviewResult(recipe: 1)
        failed.isTriedAgain = true
        try await store.finish(first, with: failed, then: [], at: Self.now)
        let waiting = Mutex<[User.ID?]>([])
        let small = try await take { users in
            waiting.withLock { $0 = users }
            return users.reversed()
        }
        #expect(small?.order.key == key("small"))
        #expect(Set(waiting.withLock { $0 }) == [nil, 1, 2])
        #expect(try await take { $0.filter { $0 == nil } }?.order.key == key("any"))
        for number in [1, 2, 0] { #expect(try await take { $0 }?.order.key == key("heavy \(number)")) }
        // Who is left out gets nothing.
        _ = try await store.enqueue([order(key("other"), .asked).with(user: 3)], at: Self.now)
        #expect(try await take { _ in [] } == nil)
    }

    /// Makes a thumbnail of something as a worker does.
    @discardableResult
    private func make(_ key: RenditionKey, _ store: SQLPreviewStore, _ bytes: [UInt8] = webp) async throws
        -> PreviewJob
    {
        _ = try await store.enqueue([order(key, .asked)], at: Self.now)
        let job = try #require(try await take(store))
        try await store.finish(job, with: result(key, bytes), then: [], at: Self.now)
        return job
    }

    /// Whether a rendition is made, where that may fail.
    private func isMade(_ key: RenditionKey, _ store: SQLPreviewStore) async -> Bool {
        do {
            _ = try await store.enqueue([order(key, .asked)], at: Self.now)
            guard let job = try await take(store) else { return false }
            try await store.finish(job, with: result(key), then: [], at: Self.now)
            return true
        } catch { return false }
    }

    @Test func keepsWhatWasMade() async throws {
        let harness = try await StoreHarness()
        let (store, key) = (harness.store.previews, key("a"))
        #expect(try await store.state(of: key) == nil)
        #expect(try await store.summaries(of: [key.content]).isEmpty)
        try await make(key, store)
        guard case .ready(let rendition)? = try await store.state(of: key) else {
            Issue.record("it is not there")
            return
        }
        #expect(rendition.width == 40 && rendition.height == 30)
        #expect(try await store.bytes(of: rendition) == Self.webp)
        let summary = try #require(try await store.summaries(of: [key.content, key.content])[key.content])
        #expect(summary.state == .ready && summary.proportions?.width == 40 && summary.info?.pageCount == 3)
        #expect(try await take(store) == nil)
        // And after the process was started anew.
        try harness.reopen()
        #expect(try await harness.store.previews.bytes(of: rendition) == Self.webp)
        #expect(try await harness.store.previews.status().ready[.thumbnail]?.count == 1)
    }

    @Test func damagedBytesCountAsAbsent() async throws {
        let harness = try await StoreHarness()
        let (store, key) = (harness.store.previews, key("a"))
        try await make(key, store)
        guard case .ready(let rendition)? = try await store.state(of: key) else {
            Issue.record("absent")
            return
        }
        let hex = key.content.hex
        let path = "\(harness.folder)/store/cache/renditions/\(hex.prefix(2))/\(hex.dropFirst(2))/thumb-1"
        #expect(truncate(path, 5) == 0)
        #expect(try await store.bytes(of: rendition) == nil)
        #expect(try await store.state(of: key) == nil)
        #expect(try await store.summaries(of: [key.content])[key.content]?.state == .making)
    }

    @Test func takesTheMostUrgentOnce() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        let orders = [order(key("a"), .backfill), order(key("b"), .listed), order(key("c"), .asked)]
        #expect(try await store.enqueue(orders, at: Self.now) == 3)
        // A second order of the same is no second piece of work, and only becomes more urgent.
        #expect(try await store.enqueue([order(key("a"), .fresh), order(key("c"), .backfill)], at: Self.now) == 2)
        #expect(try await store.waiting(before: key("a")) == 2)
        #expect(try await take(store, .listed)?.order.key == key("c"))
        #expect(try await take(store, .listed)?.order.key == key("b"))
        #expect(try await take(store, .listed) == nil)
        #expect(try await take(store)?.order.key == key("a"))
        #expect(try await take(store) == nil)
        // The process was killed meanwhile.
        try await store.resumeWork()
        #expect(try await take(store)?.order.key == key("c"))
    }

    @Test func whatNobodyAsksForAgainSinks() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        _ = try await store.enqueue([order(key("old"), .asked), order(key("new"), .fresh)], at: Self.now)
        #expect(try await take(store, at: Self.now + .seconds(11))?.order.key == key("new"))
    }

    @Test func familiesThatAreOffWait() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        _ = try await store.enqueue([order(key("a"), .asked)], at: Self.now)
        let job = try #require(try await take(store, excluding: [.office]))
        try await store.postpone(job, family: .office, until: Self.now + .seconds(5))
        #expect(try await take(store) == nil)
        #expect(try await take(store, excluding: [.office], at: Self.now + .seconds(5)) == nil)
        #expect(try await take(store, at: Self.now + .seconds(5))?.family == .office)
    }

    @Test func aSecondAttemptIsMarked() async throws {
        let harness = try await StoreHarness()
        let (store, key) = (harness.store.previews, key("a"))
        _ = try await store.enqueue([order(key, .asked)], at: Self.now)
        var failed = PreviewResult(recipe: 1)
        (failed.failure, failed.isTriedAgain) = (.crashed, true)
        try await store.finish(try #require(try await take(store)), with: failed, then: [], at: Self.now)
        #expect(try await store.state(of: key) == nil)
        #expect(try await take(store) == nil)
        let job = try #require(try await take(store, second: true))
        #expect(job.attempt == 2)
        failed.isTriedAgain = false
        try await store.finish(job, with: failed, then: [], at: Self.now)
        #expect(try await store.state(of: key) == .failed(.crashed))
        #expect(try await store.summaries(of: [key.content])[key.content]?.state == .failed(.crashed))
        #expect(try await store.status().failures == [.crashed: 1])
        #expect(try await store.forgetFailures([.noTool]) == 0)
        #expect(try await store.forgetFailures(nil) == 1)
        #expect(try await store.state(of: key) == nil)
    }

    /// Files that come are found, then those that were there before, the latest first; each once.
    @Test func findsFilesThatHaveNone() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store.previews
        for name in ["a", "b", "c"] { try await harness.put(name, "text \(name)") }
        #expect(try await store.enqueueFiles(.new, limit: 10, at: Self.now) == 0)
        try await harness.put("d", "text d")
        #expect(try await store.enqueueFiles(.new, limit: 10, at: Self.now) == 1)
        #expect(try await store.enqueueFiles(.old, limit: 2, at: Self.now) == 2)
        #expect(try await store.enqueueFiles(.old, limit: 2, at: Self.now) == 1)
        #expect(try await store.enqueueFiles(.old, limit: 2, at: Self.now) == 0)
        var taken: [RenditionKey] = []
        while let job = try await take(store) { taken.append(job.order.key) }
        #expect(taken == ["d", "c", "b", "a"].map { key("text \($0)") })
    }

    /// A look by older signatures is repeated by newer ones, and what they find is refused.
    @Test func scansWhatCameAndScansItAgain() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store.previews
        try await harness.put("old", "text old")
        #expect(try await store.enqueueScans(.new, limit: 10, at: Self.now) == 0)
        try await harness.put("new", "text new")
        #expect(try await store.enqueueScans(.new, limit: 10, at: Self.now) == 1)
        #expect(try await store.enqueueScans(.old, limit: 10, at: Self.now) == 1)
        #expect(try await store.enqueueScans(.old, limit: 10, at: Self.now) == 0)
        var scanned = PreviewResult(recipe: 1)
        scanned.verdict = (.clean, 7)
        for name in ["new", "old"] {
            let job = try #require(try await take(store, .rescan, scans: true))
            #expect(job.order.key == key("text \(name)", .verdict))
            try await store.finish(job, with: scanned, then: [], at: Self.now)
        }
        #expect(try await store.verdict(of: key("text new").content) == .clean)
        #expect(try await store.enqueueRescans(signatures: 7, limit: 10, at: Self.now) == 0)
        #expect(try await store.enqueueRescans(signatures: 8, limit: 10, at: Self.now) == 2)
        #expect(try await store.enqueueRescans(signatures: 8, limit: 10, at: Self.now) == 0)
        #expect(try await take(store, .recognition, scans: true) == nil)
        #expect(try await take(store, .rescan, scans: true)?.order.priority == .rescan)
    }

    /// Nothing of a quarantined content is given, and it is there again when it is released.
    @Test func quarantinedContentsHaveNone() async throws {
        let harness = try await StoreHarness()
        let (store, key) = (harness.store.previews, key("a"))
        try await make(key, store)
        try await harness.store.quarantine.quarantine(key.content, malware: "Eicar", at: Self.now)
        #expect(try await store.state(of: key) == .failed(.quarantined))
        #expect(try await store.summaries(of: [key.content])[key.content]?.state == .failed(.quarantined))
        try await harness.store.quarantine.release(key.content, actor: "root")
        guard case .ready = try await store.state(of: key) else {
            Issue.record("it was released")
            return
        }
    }

    /// Orders that follow stand in the same transaction as the work that was done.
    @Test func ordersWhatFollows() async throws {
        let harness = try await StoreHarness()
        let (store, key) = (harness.store.previews, key("a"))
        _ = try await store.enqueue([order(key, .fresh)], at: Self.now)
        let job = try #require(try await take(store))
        let orders = [order(key, .fresh), order(self.key("a", .text), .fresh)]
        try await store.finish(job, with: result(key), then: orders, at: Self.now)
        #expect(try await take(store)?.order.key == self.key("a", .text))
        #expect(try await take(store) == nil)
    }

    @Test func removesWhatIsUsedLeast() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        for name in ["a", "b"] { try await make(key(name), store, [UInt8](repeating: 1, count: 1000)) }
        for page in 1...3 { try await make(key("a", .page, page: page), store, [UInt8](repeating: 2, count: 1000)) }
        // Page 1 was used after that.
        guard case .ready(let used)? = try await store.state(of: key("a", .page)) else {
            Issue.record("absent")
            return
        }
        _ = try await store.bytes(of: used)
        #expect(try await store.evict(above: 3000, downTo: 3000) == 2)
        #expect(try await store.state(of: key("a", .page)) != nil)
        #expect(try await store.state(of: key("a", .page, page: 2)) == nil)
        #expect(try await store.evict(above: 1500, downTo: 1500) == 2)
        #expect(try await store.status().bytes == 1000)
        #expect(try await store.state(of: key("a", .page)) == nil)
    }

    /// The renditions of a content go with it.
    @Test func goesWithItsContent() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store.previews
        let file = try await harness.put("a", "text a")
        let key = RenditionKey(file.digest, .thumbnail)
        try await make(key, store)
        #expect(try await store.sweep() == 0)
        let hex = file.digest.hex
        let folder = "\(harness.base.folder)/store/cache/renditions/\(hex.prefix(2))/\(hex.dropFirst(2))"
        #expect(access(folder, F_OK) == 0)
        try await harness.delete("a")
        try await harness.store.library.purge(.file(file.id), of: harness.ann)
        try await harness.put("b", "text b")
        _ = try await harness.store.maintenance.purgeDeleted(before: .now)
        #expect(access(folder, F_OK) != 0)
        #expect(try await store.sweep() == 1)
        #expect(try await store.state(of: key) == nil)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func aDatabaseOfAnotherVersionIsMadeAnew() async throws {
        let harness = try await StoreHarness()
        try await make(key("a"), harness.store.previews)
        try await harness.store.previews.writing("") { try $0.run(script: "PRAGMA user_version = 99") }
        try harness.reopen()
        #expect(try await harness.store.previews.state(of: key("a")) == nil)
        try await make(key("a"), harness.store.previews)
        // And so is one that is none.
        try harness.store.close()
        let path = "\(harness.folder)/store/cache/previews.sqlite"
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        #expect(write(descriptor, "nonsense, and more of it", 24) == 24)
        close(descriptor)
        // Which would mend it.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try harness.reopen()
        #expect(try await harness.store.previews.state(of: key("a")) == nil)
        try await make(key("a"), harness.store.previews)
    }

    /// Damage behind the beginning of the database is found out in use.
    @Test func aDamagedDatabaseIsMadeAnewWhileItIsUsed() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        for number in 0..<200 { try await make(key("\(number)"), store) }
        try harness.reopen()
        let damaged = harness.store.previews
        let path = "\(harness.folder)/store/cache/previews.sqlite"
        let descriptor = open(path, O_WRONLY)
        let noise = [UInt8](repeating: 0xA5, count: 60_000)
        #expect(pwrite(descriptor, noise, noise.count, 4096) == noise.count)
        close(descriptor)
        #expect(
            try await becomesTrue {
                // The first calls may find the damage.
                guard await isMade(key("after"), damaged) else { return false }
                return try await damaged.state(of: key("after")) != nil
            })
    }

    /// The cache comes back after `rm -rf store/cache` while a server runs.
    @Test func aDeletedFolderIsMadeAnew() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        try await make(key("a"), store)
        try FileManager.default.removeItem(atPath: "\(harness.folder)/store/cache")
        #expect(
            try await becomesTrue {
                guard await isMade(key("b"), store) else { return false }
                return access("\(harness.folder)/store/cache/previews.sqlite", F_OK) == 0
            })
    }

    @Test func oneProcessWorks() async throws {
        let harness = try await StoreHarness()
        let other = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        #expect(try await harness.store.previews.claimWork())
        #expect(try await !other.previews.claimWork())
        try harness.store.close()
        #expect(try await other.previews.claimWork())
        try other.close()
    }

    @Test func clearsAll() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        try await make(key("a"), store)
        _ = try await store.enqueue([order(key("b"), .asked)], at: Self.now)
        try await store.removeAll()
        #expect(try await store.status() == PreviewStatus())
        #expect(try DiskDirectory.names(in: "\(harness.folder)/store/cache/renditions").isEmpty)
    }
}
