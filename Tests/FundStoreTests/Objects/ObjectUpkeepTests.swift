import Foundation
import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundStore

/// Sealed segments on their way into a bucket, out of the folder, and back.
@Suite(.startsPrograms) struct ObjectUpkeepTests {
    private static let large = Int(LogFormat.largeBytes) + 1000

    @Test(arguments: [false, true]) func sealedSegmentsBecomeObjects(isOnServer: Bool) async throws {
        try await StoreHarness.$isOnServer.withValue(isOnServer) {
            let harness = try await BucketHarness()
            try await harness.library.put("small", "a few words")
            try await harness.library.put("large", BucketHarness.text(Self.large, seed: 1))
            let bucket = try #require(harness.store.bucket)
            #expect(try await bucket.status().waiting == 2)
            let report = try harness.keep()
            #expect(report.put == 2 && report.problems == [])
            let status = try await bucket.status()
            #expect(status.segments == 2 && status.waiting == 0 && status.alone == 0 && status.bytes == report.putBytes)
            #expect(try harness.objects().count == 2 && harness.files().count == 2)
            let before = harness.proxy.requests.count
            #expect(try await bucket.keep(isWhole: true) == BucketReport())
            #expect(harness.proxy.requests.count == before)
            // A sealed segment takes nothing more.
            try await harness.library.put("later", "other words")
            #expect(try harness.files().count == 3)
            #expect(try harness.keep().put == 1)
            #expect(try await harness.library.tree()["small"] == "a few words")
        }
    }

    @Test func filesLeaveTheFolderAndAreReadFromTheBucket() async throws {
        let harness = try await BucketHarness(keep: 0)
        let (text, large) = (BucketHarness.text(200_000, seed: 2), BucketHarness.text(Self.large, seed: 3))
        try await harness.library.put("small", text)
        try await harness.library.put("large", large)
        let report = try harness.keep()
        #expect(report.put == 2 && report.givenBack == 2 && report.givenBackBytes > 0)
        #expect(try harness.files() == [] && harness.state() == ["whole alone", "whole alone"])
        #expect(try await harness.tree() == ["small": text, "large": large])
        #expect(harness.store.notice == nil)
        let verified = try await harness.store.maintenance.verify()
        #expect(verified.isSound && verified.blobs == 2, "\(verified.findings)")
        // A backup has all of it as files.
        let target = harness.base.folder + "/backup"
        let backup = try await harness.store.maintenance.backUp(to: target)
        #expect(backup.damages == [] && backup.segments == 2)
        try await harness.library.put("later", "words")
        #expect(try await harness.store.maintenance.backUp(to: target).copiedBytes < 1000)
        let restored = harness.base.folder + "/restored"
        #expect(try BackupFolder(path: target).restore(nil, to: restored).damages == [])
        let store = try FundStore.open(at: restored, mode: .existing)
        defer { try? store.close() }
        #expect(store.bucket == nil)
        #expect(try await store.maintenance.verify().isSound)
        let export = harness.base.folder + "/export"
        _ = try await store.maintenance.export(fund: harness.base.fund.id, to: export)
        #expect(try TestFile.read("\(export)/large") == Array(large.utf8))
    }

    @Test func aThousandMailsTakeFewRequests() async throws {
        let harness = try await BucketHarness(keep: 0)
        let messages = try (1...1000).map { try harness.base.message("mail \($0)", place: "\($0).eml") }
        _ = try await harness.store.mail.commit(messages.map { try harness.base.stage($0) })
        let before = harness.proxy.requests.count
        #expect(try harness.keep().put == 1)
        #expect(harness.proxy.requests.count - before <= 6, "\(harness.proxy.requests[before...])")
    }

    /// The folder goes on, and a file that cannot be read says so at once.
    @Test func withoutTheBucketTheStoreGoesOn() async throws {
        let harness = try await BucketHarness(keep: 0)
        let read = try await harness.library.put("read", BucketHarness.text(1000, seed: 4))
        try harness.keep()
        let other = try await harness.library.put("other", BucketHarness.text(1000, seed: 5))
        try harness.keep()
        _ = try harness.library.text(of: read)
        harness.proxy.stop()
        _ = try harness.library.text(of: read)
        let start = ContinuousClock.now
        for _ in 0..<3 {
            #expect(await failure { _ = try harness.library.text(of: other) } == .unreachable)
        }
        #expect(ContinuousClock.now - start < .seconds(5))
        let new = try await harness.library.put("new", "words")
        #expect(try harness.library.text(of: new) == "words")
        _ = try await harness.base.file("mail")
        let bucket = try #require(harness.store.bucket)
        #expect(await failure { _ = try await bucket.check() } == .unreachable)
        #expect(await failure { _ = try await bucket.keep(isWhole: true) } == .unreachable)
        #expect(bucket.lastFailure?.code == .unreachable)
        let verified = try await harness.store.maintenance.verify()
        #expect(verified.findings.contains { $0.kind == .damagedObject })
    }

    /// A process is killed at a step, and another goes on with its folder.
    @Test(arguments: FaultPoint.ofObjects) func aKillLosesNothing(point: FaultPoint) async throws {
        let harness = try await BucketHarness(keep: 0)
        let killed = Mutex<String?>(nil)
        let path = harness.path
        try harness.reopen(
            FaultInjection { reached in
                guard reached == point else { return }
                killed.withLock { killed in
                    guard killed == nil else { return }
                    killed = path + "-killed"
                    try? FileManager.default.copyItem(atPath: path, toPath: path + "-killed")
                }
            })
        let texts = (1...3).map { BucketHarness.text(1000, seed: $0) }
        try await harness.library.put("a", texts[0])
        try await harness.library.put("gone", texts[1])
        try harness.keep()
        try await harness.library.delete("gone")
        _ = try await harness.store.library.emptyTrash(of: harness.library.ann)
        try await harness.library.put("b", texts[2])
        for days in 0..<4 { try harness.keep(at: .now + BucketHarness.day * days + .seconds(60 * days)) }
        let copy = try #require(killed.withLock { $0 }, "\(point) was not reached")
        let expected = ["a": texts[0], "b": texts[2]]
        #expect(try await harness.tree() == expected)
        #expect(try await harness.store.maintenance.verify().isSound)
        #expect(try harness.objects().count == harness.state().count)

        let other = try harness.open(copy)
        defer { try? other.close() }
        // `serve` does so each hour.
        _ = try await other.maintenance.sweep()
        for days in 0..<4 { try harness.keep(at: .now + BucketHarness.day * days + .seconds(60 * days), of: other) }
        _ = try await BucketCheck.texts(of: other)
        let verified = try await other.maintenance.verify()
        #expect(verified.isSound, "\(verified.findings)")
    }

    /// Purged bytes leave the bucket a day after their segment was put anew.
    @Test func whatIsPurgedLeavesTheBucket() async throws {
        let harness = try await BucketHarness(keep: 0)
        let (kept, secret) = (BucketHarness.text(9000, seed: 6), BucketHarness.text(3000, seed: 7))
        try await harness.library.put("kept", kept)
        try await harness.library.put("secret", secret)
        try harness.keep()
        let first = try harness.objects()
        try await harness.library.delete("secret")
        _ = try await harness.store.library.emptyTrash(of: harness.library.ann)
        // It is a file again, with a hole.
        #expect(try harness.keep().fetched == 1)
        #expect(try harness.state() == ["whole"] && harness.files().count == 1)
        let tomorrow = Timestamp.now + BucketHarness.day + .seconds(60)
        let report = try harness.keep(at: tomorrow)
        #expect(report.put == 1 && report.givenBack == 1)
        #expect(try harness.state() == ["going", "whole alone"] && harness.objects().count == 2)
        #expect(try harness.keep(at: tomorrow + BucketHarness.day + .seconds(60)).deleted == 1)
        let last = try harness.objects()
        #expect(last.count == 1 && last != first)
        #expect(try await harness.tree() == ["kept": kept])
        // Nothing is left.
        try await harness.library.delete("kept")
        _ = try await harness.store.library.emptyTrash(of: harness.library.ann)
        #expect(try harness.state() == ["going"])
        #expect(try harness.keep(at: .now + BucketHarness.day + .seconds(60)).deleted == 1)
        #expect(try harness.objects() == [] && harness.state() == [])
    }

    @Test func aDamagedSegmentIsNotPut() async throws {
        let harness = try await BucketHarness(keep: 0)
        let file = try await harness.library.put("a", BucketHarness.text(9000, seed: 8))
        try harness.base.damage(file.digest)
        let report = try harness.keep()
        #expect(report.put == 0 && report.problems.count == 1)
        #expect(try harness.objects() == [] && harness.files().count == 1)
    }

    @Test func anUploadThatFailsIsBegunAgain() async throws {
        let harness = try await BucketHarness(keep: 0)
        try await harness.library.put("a", "words")
        harness.proxy.arrange(.answerAfterwards(503), for: "/seg/", times: 5)
        #expect(throws: StoreError.self) { try harness.keep() }
        #expect(try harness.state() == ["coming"])
        #expect(try harness.keep().put == 1)
        #expect(try harness.state() == ["going", "whole alone"])
        #expect(try harness.keep(at: .now + BucketHarness.day + .seconds(60)).deleted == 1)
        #expect(try harness.objects().count == 1)
    }
}

/// Reads what a store has.
enum BucketCheck {
    static func texts(of store: FundStore) async throws -> Int {
        let digests: [ContentDigest] = try store.connection.read("list") {
            try $0.values("SELECT blob.digest FROM file JOIN blob ON blob.id = file.blob_id")
        }
        for digest in digests {
            let location = try #require(try store.log.locations(of: digest).first)
            try store.log.reader.record(at: location, of: digest, isNeeded: true).verify(store.log.blob)
        }
        return digests.count
    }
}
