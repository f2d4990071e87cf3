import TestSupport
import FundCore
import Testing

@testable import FundStore

/// A store that gives people no content before a scanner has looked at it.
@Suite struct HoldTests {
    private static let now = Timestamp(1_000_000)
    private static let first = StoreHarness.Part(name: "a.txt", bytes: Array("the first".utf8))
    private static let second = StoreHarness.Part(name: "b.txt", bytes: Array("the second".utf8))
    private static let empty = StoreHarness.Part(name: "empty.txt", bytes: [])

    private func isHeld(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return false
        } catch let error as StoreError where error.code == .unscanned { return true }
    }

    private func scan(_ content: ContentDigest, _ verdict: Verdict, _ store: FundStore) async throws {
        try await store.scan(content, verdict, at: Self.now)
    }

    private func give(_ part: StoreHarness.Part, _ store: FundStore) throws -> any StoredContent {
        try store.library.content(of: part.digest, size: Int64(part.bytes.count))
    }

    @Test func givesWhatWasScanned() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        let filed = try await harness.base.file("Subject: x\n\nbody", parts: [Self.first, Self.second, Self.empty])
        let email = try #require(filed.emailID)
        let raw = try await store.library.rawMessage(of: email, of: harness.ann)
        let opened = try give(Self.first, store)
        func isMessageHeld() async throws -> Bool {
            try await isHeld { _ = try store.library.content(of: raw.digest, size: raw.size) }
        }
        store.holdUnscanned()
        #expect(try await isHeld { _ = try give(Self.first, store) })
        #expect(try await isHeld { try opened.read(0..<1) { _ in } }, "it was opened before")
        #expect(opened.region(0..<opened.size) == nil)
        #expect(try await !isHeld { _ = try give(Self.empty, store) })
        #expect(try await store.quarantine.refusal(of: Self.first.digest) == .unscanned)
        #expect(try await isMessageHeld())

        // Also of what it could not look into there is a verdict.
        try await scan(Self.first.digest, .encrypted, store)
        #expect(try await !isHeld { _ = try give(Self.first, store) })
        var bytes: [UInt8] = []
        try opened.read(0..<3) { bytes += $0 }
        #expect(bytes == Array("the".utf8))
        #expect(bytes.withUnsafeMutableBytes { opened.readWithoutWaiting(at: 4, into: $0) })
        #expect(bytes == Array("fir".utf8))
        #expect(try await isMessageHeld(), "its second attachment waits")
        try await scan(Self.second.digest, .clean, store)
        #expect(try await !isMessageHeld())

        // A later finding counts.
        try await store.quarantine.quarantine(Self.first.digest, malware: "Eicar", at: Self.now)
        #expect(try await store.quarantine.refusal(of: Self.first.digest) == .malware(name: "Eicar"))
    }

    @Test func zipFilesAndExportsSaySo() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        try await harness.base.file("Subject: x\n\nbody", parts: [Self.first, Self.second])
        store.holdUnscanned()
        try await scan(Self.second.digest, .clean, store)
        let selection = ZipSelection(fund: harness.base.fund.id, includesEmails: true)
        let items = try await store.library.zipItems(selection, atMost: 10, of: harness.ann)
        for item in items {
            switch item.content {
            case .withheld(let refusal): #expect(refusal == .unscanned && item.name == Self.first.name)
            case .file: #expect(item.name == Self.second.name)
            case .email(_, let isWhole): #expect(!isWhole)
            case .folder: Issue.record("there is no folder")
            }
        }
        #expect(items.count == 3)
        let report = try await store.maintenance.export(
            fund: harness.base.fund.id, to: harness.base.folder + "/export")
        #expect(report.written == 1 && report.unscanned == [Self.first.name] && report.quarantined.isEmpty)
    }

    /// Mail that was not filed is scanned as it came, since there is nothing else of it.
    @Test func givesMailThatWasNotFiledWhenItWasScanned() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        let kept = try await harness.base.deliver("Subject: x\n\nbody", at: "1", reason: .unknownFund)
        let record = try await store.administration.misroute(try #require(kept.misrouteID))
        store.holdUnscanned()
        func isKeptBack() async throws -> Bool {
            try await isHeld { _ = try store.library.content(of: record.digest, size: record.size) }
        }
        #expect(try await isKeptBack())
        #expect(try await store.previews.enqueueScansOfKeptMail(limit: 10, at: Self.now) == 1)
        #expect(try await store.previews.enqueueScansOfKeptMail(limit: 10, at: Self.now) == 0)
        try await scan(record.digest, .clean, store)
        #expect(try await !isKeptBack())
        // Verdicts stay as long as the mail.
        _ = try await store.previews.sweep()
        #expect(try await store.previews.verdict(of: record.digest) == .clean)
        #expect(try await store.previews.enqueueRescans(signatures: 2, limit: 10, at: Self.now) == 1)
        try await store.quarantine.quarantine(record.digest, malware: "Eicar", at: Self.now)
        #expect(throws: StoreError.self) { try store.library.content(of: record.digest, size: record.size) }
        #expect(try await store.quarantine.quarantined(PageQuery()).items.first?.places.count == 1)
    }

    /// A cache that is cleared is made again; what was scanned stays scanned.
    @Test func aClearedCacheKeepsVerdicts() async throws {
        let harness = try await LibraryHarness()
        try await harness.base.file("Subject: x\n\nbody", parts: [Self.first])
        try await scan(Self.first.digest, .clean, harness.store)
        try await harness.store.previews.removeAll()
        let other = try FundStore.open(at: harness.base.folder + "/store", mode: .existing)
        other.holdUnscanned()
        #expect(try await !isHeld { _ = try give(Self.first, other) })
        try other.close()
    }

    /// Nothing was made there yet.
    @Test func aStoreWithoutACacheHoldsAll() async throws {
        let harness = try await LibraryHarness()
        try await harness.base.file("Subject: x\n\nbody", parts: [Self.first])
        let reader = try FundStore.open(at: harness.base.folder + "/store", mode: .readOnly)
        reader.holdUnscanned()
        #expect(try await isHeld { _ = try give(Self.first, reader) })
        try reader.close()
    }
}
