import TestSupport
import Glibc
import FundCore
import Synchronization
import Testing

@testable import FundStore

/// Gives the attachments that the tests put into their messages. The real parser's own tests stand elsewhere.
final class KnownParts: MessageParser, ParseWorker, Sendable {
    let concurrency = 1
    let parts: [StoreHarness.Part]

    init(_ parts: [StoreHarness.Part]) { self.parts = parts }

    func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result { try body(self) }

    func parse(_ message: SpooledMessage, limits: ParseLimits) throws -> ParseResult {
        .message(
            ParsedMessage(
                header: MessageHeader(),
                attachments: parts.map {
                    ParsedAttachment(
                        sentName: nil, displayName: $0.name, contentType: "a/b", size: Int64($0.bytes.count),
                        digest: $0.digest, isInline: false, contentID: nil, partPath: "2")
                }))
    }

    func readAttachment(_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        try parts[index].bytes.withUnsafeBytes(consume)
    }
}

@Suite struct MaintenanceTests {
    private let parts = [
        StoreHarness.Part(name: "one", bytes: [UInt8](repeating: 1, count: 1000)),
        StoreHarness.Part(name: "two", bytes: [UInt8](repeating: 2, count: 1000)),
    ]

    private func overwrite(_ path: String, _ bytes: [UInt8]) throws {
        let file = try #require(fopen(path, "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
    }

    @Test func aSoundStoreHasNoFindings() async throws {
        let harness = try await StoreHarness()
        try await harness.file("a: b\n\nc", parts: parts)
        try await harness.file("a: b\n\nd", reason: .noTag)
        let report = try await harness.store.maintenance.verify()
        #expect(report.findings == [])
        #expect(report.isSound)
        #expect([report.rawMessages, report.blobs] == [2, 2])
        #expect(report.bytes == 2014)
    }

    @Test func findsAndMendsDamage() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        try await harness.file("a: b\n\nc", parts: parts)
        let kept = try await harness.file("a: b\n\nd", reason: .noTag)
        try harness.damage(parts[0].digest)
        try harness.lose(parts[1].digest)
        try harness.damage(kept.message.spooled.digest)
        try overwrite("\(store.path)/log/strange", [9])
        try overwrite("\(store.path)/log/000077.seg", [9])

        let seen = try await store.maintenance.verify()
        #expect(
            seen.findings.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [
                .damagedBlob, .damagedBlob, .damagedRaw, .strangeFile, .strangeFile,
            ])
        #expect(seen.findings.allSatisfy { $0.action == .reported })
        #expect(!seen.isSound)

        let mended = try await store.maintenance.verify(repairing: KnownParts(parts))
        let actions = Dictionary(mended.findings.map { ($0.kind, $0.action) }) { first, _ in first }
        #expect(
            actions == [.damagedBlob: .rederived, .strangeFile: .movedToLost, .damagedRaw: .unrepairable])
        #expect(try DiskDirectory.names(in: store.connection.location.lost).count == 2)
        for part in parts { #expect(try harness.content(part.digest) == part.bytes) }
        #expect(try await store.maintenance.verify().findings.map(\.kind) == [.damagedRaw])
        // A second copy of the message mends what nothing here could.
        #expect(try await harness.file("a: b\n\nd", reason: .noTag).outcome == .duplicate)
        #expect(try await store.maintenance.verify().isSound)
    }

    /// A missing segment, one that was cut off and one of which the first bytes have changed.
    @Test func findsDamagedSegments() async throws {
        let harness = try await StoreHarness()
        let (store, large) = (harness.store, [UInt8](repeating: 5, count: 2 << 20))
        for number in 0..<3 {
            let part = StoreHarness.Part(name: "\(number)", bytes: [UInt8(number)] + large)
            try await harness.file("a: b\n\n\(number)", parts: [part])
        }
        let paths = (0..<3).map { store.log.directory.path(of: SegmentNumber(UInt32($0 + 1))) }
        #expect(paths.allSatisfy { DiskFile.size(of: $0) != nil })
        try harness.reopen()
        let blobs = try harness.store.connection.read("look") { db in
            try db.rows("SELECT \(RecordLocation.columns) FROM blob ORDER BY id").compactMap {
                RecordLocation($0, at: 0)
            }
        }
        let directory = harness.store.log.directory
        unlink(directory.path(of: blobs[0].segment))
        truncate(directory.path(of: blobs[1].segment), 1 << 20)
        let file = try #require(fopen(directory.path(of: blobs[2].segment), "r+"))
        fputs("X", file)
        fclose(file)
        let findings = try await harness.store.maintenance.verify().findings
        #expect(
            findings.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [
                .damagedBlob, .damagedSegment, .damagedSegment, .damagedSegment, .missingBlob,
            ])
        #expect(Set(findings.map(\.path)) == Set(blobs.map { "log/\($0.segment.fileName)" }))
    }

    /// A commit while it looks is no damage.
    @Test func isSoundBesideARun() async throws {
        let harness = try await StoreHarness()
        let other = try FundStore.open(at: harness.store.path, mode: .existing)
        let isDone = Box(Mutex(false))
        async let run: Void = {
            for number in 0..<150 { try await harness.file("a: b\n\n\(number)", parts: parts) }
            isDone.value.withLock { $0 = true }
        }()
        var checks = 0
        while !isDone.value.withLock({ $0 }) {
            #expect(try await other.maintenance.verify().findings == [])
            checks += 1
        }
        try await run
        #expect(checks > 2)
        try other.close()
    }

    /// The rest of a segment of which most was purged moves, and the segment goes.
    @Test func compactsWhatIsMostlyPurged() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        // One segment is full: files just below the size of large ones.
        let text = String(repeating: "x", count: 900_000)
        for number in 0..<80 { try await harness.put("\(number)", "\(number) \(text)") }
        for number in 0..<60 { try await harness.delete("\(number)") }
        _ = try await store.library.emptyTrash(of: harness.ann)
        let full = store.log.directory.path(of: SegmentNumber(1))
        #expect(DiskFile.size(of: full) ?? 0 > 60_000_000)
        _ = try await store.maintenance.sweep()
        #expect(DiskFile.size(of: full) == nil)
        let tree = try await harness.tree()
        #expect(tree.count == 20 && tree["79"] == "79 \(text)" && tree["60"] == "60 \(text)")
        #expect(try await store.maintenance.verify().isSound)
    }

    @Test func whatTheParserNoLongerGivesIsNotMended() async throws {
        let harness = try await StoreHarness()
        try await harness.file("a: b\n\nc", parts: parts)
        try harness.damage(parts[0].digest)
        let report = try await harness.store.maintenance.verify(repairing: KnownParts([]))
        #expect(report.findings.map(\.action) == [.unrepairable])
        #expect(!report.isSound)
    }

    @Test func aRowWithoutItsParentIsFound() async throws {
        let harness = try await StoreHarness()
        try harness.store.connection.pool.withWriter { db in
            try db.execute("PRAGMA foreign_keys = OFF")
            try db.execute("INSERT INTO fund_alias (fund_id, name) VALUES (77, 'x')")
            try db.execute("PRAGMA foreign_keys = ON")
        }
        #expect(try await harness.store.maintenance.verify().findings.map(\.kind) == [.database])
    }

    @Test func retentionDropsOnlyOldFiledMail() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        let old = try await harness.file("a: b\n\nc", parts: parts)
        try await harness.file("a: b\n\nd", reason: .noTag)
        try store.connection.write("") { try $0.execute("UPDATE email SET received_at = received_at - 86401") }
        try await harness.file("a: b\n\nyoung")
        #expect(try await store.maintenance.applyRetention(rawDays: nil) == RetentionReport())
        #expect(try await store.maintenance.applyRetention(rawDays: 1) == RetentionReport(rawMessages: 1, bytes: 7))
        #expect(try harness.content(old.message.spooled.digest) == nil)
        #expect(try harness.rawMessages() == 2)
        #expect(try await store.maintenance.verify().isSound)
        #expect(try await store.maintenance.applyRetention(rawDays: 1) == RetentionReport())
        let again = try await harness.file("a: b\n\nc", parts: parts)
        #expect(again.outcome == .duplicate)
        #expect(try harness.rawMessages() == 2)
    }

    @Test func exportsPlainFiles() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        try await harness.file("a: b\n\nc", parts: parts + [StoreHarness.Part(name: "one", bytes: [3])])
        let target = harness.folder + "/out/deep"
        let first = try await store.maintenance.export(fund: harness.fund.id, to: target)
        #expect(first == ExportReport(written: 3, unchanged: 0, bytes: 2001))
        #expect(try DiskDirectory.names(in: target) == ["one", "one(1)", "two"])
        #expect(try await store.maintenance.export(fund: harness.fund.id, to: target).unchanged == 3)
        try overwrite(target + "/two", [0])
        #expect(try await store.maintenance.export(fund: harness.fund.id, to: target).written == 1)
        #expect(DiskFile.size(of: target + "/two") == 1)
        #expect(DiskFile.size(of: target + "/two(1)") == 1000)
        try harness.damage(parts[0].digest)
        let damaged = try await store.maintenance.export(fund: harness.fund.id, to: harness.folder + "/new")
        #expect(damaged.failed == ["one"])
        #expect(try DiskDirectory.names(in: harness.folder + "/new") == ["one(1)", "two"])
        for inside in [store.path, store.path + "/x/y", harness.folder + "/link/y"] {
            symlink(store.path, harness.folder + "/link")
            await #expect {
                try await store.maintenance.export(fund: harness.fund.id, to: inside)
            } throws: { ($0 as? StoreError)?.code == .invalid }
        }
        await #expect { try await store.maintenance.export(fund: 99, to: target) } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
    }
}
