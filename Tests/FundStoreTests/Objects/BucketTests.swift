import Foundation
import FundCore
import ObjectStorage
import TestSupport
import Testing

@testable import FundStore

/// Which store uses a bucket, and what is found of damage there.
@Suite(.startsPrograms) struct BucketTests {
    @Test func anotherStateOfTheStoreHasToTakeOver() async throws {
        let harness = try await BucketHarness(keep: 0)
        try await harness.library.put("a", "words")
        try harness.keep()
        // A restored backup begins one, too.
        try harness.store.connection.write("begin a history") { try StoreHistory.begin($0) }
        #expect(throws: StoreError.self) { try harness.join() }
        try harness.join(keep: 0, takesOver: true)
        #expect(try await harness.tree() == ["a": "words"])
    }

    @Test func nothingIsDeletedThatAnotherStateMayNeed() async throws {
        let harness = try await BucketHarness(keep: 0)
        try await harness.library.put("a", "words")
        try harness.keep()
        try await harness.library.delete("a")
        _ = try await harness.store.library.emptyTrash(of: harness.library.ann)
        try harness.store.connection.write("begin a history") { try StoreHistory.begin($0) }
        let later = Timestamp.now + BucketHarness.day + .seconds(60)
        let report = try harness.keep(at: later)
        #expect(report.deleted == 0 && report.problems.count == 1)
        #expect(try harness.objects().count == 1)
        try harness.join(keep: 0, takesOver: true)
        #expect(try harness.keep(at: later).deleted == 1)
        #expect(try harness.objects() == [])
    }

    /// A process that knows nothing of the bucket would miss files that leave the folder.
    @Test func aBucketIsAddedWhileNothingElseUsesTheStore() async throws {
        let harness = try await BucketHarness()
        let base = try await StoreHarness()
        let path = base.folder + "/store"
        let joining = try BucketJoining(harness.address, environment: ObjectStoreServer.environment)
        let other = try FundStore.open(at: path, mode: .existing)
        #expect(await failure { try base.store.add(joining, takesOver: false) } == .held)
        try other.close()
        try base.store.add(joining, takesOver: false)
        try base.store.add(joining, takesOver: false)
    }

    /// A store that knows nothing yet is opened; without its database it is no new one.
    @Test func aNewStoreHasABucket() async throws {
        let harness = try await BucketHarness()
        let path = harness.base.folder + "/new"
        let joining = try BucketJoining(harness.address, environment: ObjectStoreServer.environment)
        let new = try FundStore.open(at: path, mode: .create)
        try new.add(joining, takesOver: false)
        try new.close()
        try FundStore.open(at: path, mode: .existing, environment: ObjectStoreServer.environment).close()
        try FundStore.open(at: path, mode: .create, environment: ObjectStoreServer.environment).close()
        StoreLocation.removeDatabase(StoreLocation(root: path).database)
        #expect(await failure { try FundStore.open(at: path, mode: .create).close() } == .rowsLost)
    }

    @Test func aBucketWithoutItsObjectsIsRefused() async throws {
        let harness = try await BucketHarness(keep: 0)
        try await harness.library.put("a", "words")
        try harness.keep()
        for name in try harness.objects() { try harness.bucket().delete(#require(ObjectKey(name))) }
        let error = #expect(throws: StoreError.self) { try harness.join() }
        #expect(error?.code == .conflict)
    }

    @Test func anObjectThatIsMissingIsPutAgain() async throws {
        let harness = try await BucketHarness()
        try await harness.library.put("a", "words")
        try harness.keep()
        for name in try harness.objects() { try harness.bucket().delete(#require(ObjectKey(name))) }
        let verified = try await harness.store.maintenance.verify()
        #expect(verified.findings.map(\.kind) == [.damagedObject])
        _ = try await harness.store.maintenance.verify(repairing: KnownParts([]))
        #expect(try harness.keep().put == 1)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// The disk lost what the bucket has.
    @Test func aFileThatIsMissingIsReadFromTheBucket() async throws {
        let harness = try await BucketHarness()
        try await harness.library.put("a", "words")
        try harness.keep()
        let log = StoreLocation(root: harness.path).log
        for name in try harness.files() { try FileManager.default.removeItem(atPath: "\(log)/\(name)") }
        #expect(await failure { try harness.reopen() } == .logLost)
        let store = try FundStore.open(
            at: harness.path, mode: .fetching, environment: ObjectStoreServer.environment)
        let found = try await store.maintenance.verify().findings
        #expect(found.contains { $0.detail.contains("bucket fetch") })
        #expect(try await store.bucket?.fetchAll().fetched == 1)
        #expect(try await store.maintenance.verify().isSound)
        try store.close()
        #expect(try await harness.tree() == ["a": "words"])
    }

    @Test func aDamagedObjectIsNoSegment() async throws {
        let harness = try await BucketHarness(keep: 0)
        try await harness.library.put("a", BucketHarness.text(9000, seed: 1))
        try harness.keep()
        let key = try #require(ObjectKey(harness.objects()[0]))
        var bytes = try harness.bucket().get(key)
        bytes[5000] ^= 1
        try harness.bucket().delete(key)
        try harness.bucket().put(bytes, at: key)
        #expect(await failure { _ = try await harness.tree() } == .corrupted)
        let report = try #require(try await harness.store.bucket?.fetchAll())
        #expect(report.fetched == 0 && report.problems.count == 1)
        #expect(try harness.files() == [])
        #expect(try await !harness.store.maintenance.verify().isSound)
    }

    /// Nothing is left but the bucket.
    @Test func segmentsComeWithoutAStore() async throws {
        let harness = try await BucketHarness(keep: 0)
        let text = BucketHarness.text(9000, seed: 2)
        try await harness.library.put("a", text)
        try harness.keep()
        let folder = harness.base.folder + "/rescued"
        let found = try BucketRescue.run(
            harness.address, environment: ObjectStoreServer.environment, to: folder, shouldStop: { false },
            onProgress: { _, _ in })
        let store = try #require(found.first)
        #expect(found.count == 1 && store.segments == 1)
        let log = LogDirectory(path: store.path, temporary: folder)
        let checked = try LogCheck.damages(in: #require(log.segments().first), log)
        #expect(checked.damages == [] && checked.blobs == 1)
    }

    @Test(arguments: [
        ("s3://ab", "bucket has 3"), ("http://bucket", "begin with s3://"), ("s3://key:secret@bucket", "names a key"),
    ])
    func addressesThatCannotBeRead(address: String, words: String) {
        let error = #expect(throws: StoreError.self) { try BucketJoining(address, environment: [:]) }
        #expect(error?.code == .invalid && error?.detail.contains(words) == true, "\(error?.detail ?? "")")
    }

    @Test func aBucketThatIsNotThereIsTold() async throws {
        let harness = try await BucketHarness()
        let other = harness.address.replacing("s3://", with: "s3://no-such-")
        let error = #expect(throws: StoreError.self) {
            try BucketJoining(other, environment: ObjectStoreServer.environment)
        }
        #expect(
            error?.detail.contains("no-such-") == true || error?.code == .unreachable, "\(String(describing: error))")
    }
}
