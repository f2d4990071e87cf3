import TestSupport
import Glibc
import FundCore
import Synchronization
import Testing

@testable import FundStore

/// Bytes in `blobs` that no row knows: no way may leave any.
@Suite struct OrphanTests {
    /// Does something when the bytes of an upload are durable and its row is not made.
    private final class Between: Sendable {
        let action = Mutex<(@Sendable () -> Void)?>(nil)

        var faults: FaultInjection {
            FaultInjection { point in
                guard point == .afterBarrier, let action = self.action.withLock({ $0.take() }) else { return }
                action()
            }
        }
    }

    private func upload(_ text: String, to store: FundStore) throws -> StagedUpload {
        let upload = try store.library.makeUpload(announcing: Int64(text.utf8.count))
        try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
        return try upload.finish(contentType: "text/plain")
    }

    @Test func anUploadThatLosesARaceLeavesNothing() async throws {
        let between = Between()
        let harness = try await StoreHarness(faults: between.faults)
        let (store, ann) = (harness.store, harness.ann.id)
        let target = FileTarget("a", in: LibraryPlace(fund: harness.fund.id), ifTaken: .refuse)
        let fund = harness.fund.id
        between.action.withLock { action in
            action = {
                // Its name is taken in between.
                _ = try? store.connection.write("") { db in
                    try db.execute(
                        "INSERT INTO folder (fund_id, name, name_key, created_at) VALUES (?, 'a', 'a', 0)", [fund])
                }
            }
        }
        #expect(
            await failure {
                _ = try await store.library.addFile(try upload("only here", to: store), at: target, of: ann)
            }
                == .alreadyExists)
        #expect(try harness.files("blobs") == 0)
        #expect(try harness.leftovers == [])
    }

    @Test func bytesThatAnotherNeedsStay() async throws {
        let between = Between()
        let harness = try await StoreHarness(faults: between.faults)
        let (store, ann) = (harness.store, harness.ann.id)
        let place = LibraryPlace(fund: harness.fund.id)
        let digest = ContentDigest.of(Array("same".utf8))
        between.action.withLock { action in
            action = {
                _ = try? store.connection.write("") { db in
                    try db.execute(
                        "INSERT INTO folder (fund_id, name, name_key, created_at) VALUES (?, 'a', 'a', 0)", [place.fund]
                    )
                    // Another upload of the same bytes was faster.
                    _ = try BlobRows(db: db, layout: store.connection.layout).id(of: digest, size: 4)
                }
            }
        }
        #expect(
            await failure {
                _ = try await store.library.addFile(
                    try upload("same", to: store), at: FileTarget("a", in: place, ifTaken: .refuse), of: ann)
            } == .alreadyExists)
        #expect(StoreLayout.size(of: store.connection.layout.blob(digest)) == 4)
    }

    /// What a killed process leaves: an upload under its final name without a row, and half of one in `tmp`.
    @Test func theSweepTakesWhatNobodyUses() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        let kept = try await harness.put("kept", "kept")
        let orphan = ContentDigest.of(Array("orphan".utf8))
        for path in [store.connection.layout.blob(orphan), store.connection.layout.temporary + "/upload-dead"] {
            close(open(path, O_CREAT | O_WRONLY, 0o600))
        }
        let pending = try store.library.makeUpload(announcing: nil)
        // Under its final name and still locked.
        let racing = try harness.upload("racing")
        rename(racing.path, store.connection.layout.blob(racing.digest))
        #expect(try await store.maintenance.sweep() == 1)
        #expect(try store.maintenance.sweepBlobs(before: .now - .seconds(3600)) == 0)
        #expect(try store.maintenance.sweepBlobs(before: Timestamp(.max)) == 1)
        #expect(StoreLayout.size(of: store.connection.layout.blob(orphan)) == nil)
        #expect(StoreLayout.size(of: store.connection.layout.blob(racing.digest)) == 6)
        #expect(StoreLayout.size(of: store.connection.layout.blob(kept.digest)) == 4)
        #expect(try harness.base.leftovers.count == 1)
        withExtendedLifetime((pending, racing)) {}
    }

    @Test(arguments: [true, false])
    func aRunAfterAKilledOneSweeps(_ wasKilled: Bool) async throws {
        let harness = try await StoreHarness()
        let orphan = harness.store.connection.layout.blob(.of([1]))
        close(open(orphan, O_CREAT | O_WRONLY, 0o600))
        if wasKilled {
            let file = try #require(fopen(harness.store.connection.layout.runLock, "w"))
            fputs("1\n0\nserve\n", file)
            fclose(file)
        }
        try harness.store.acquireRunLock(holder: "poll").release()
        #expect((StoreLayout.size(of: orphan) == nil) == wasKilled)
    }

    @Test func aMessageThatCannotBeStagedLeavesNothing() async throws {
        let harness = try await StoreHarness()
        let parts = [StoreHarness.Part(name: "one", bytes: [1]), StoreHarness.Part(name: "two", bytes: [2])]
        let message = try harness.message("a: b\n\nc", parts: parts)
        #expect(throws: (any Error).self) {
            try harness.store.mail.stage(message) { index, consume in
                // The second reads differently from what the parser said.
                try [UInt8(1)].withUnsafeBytes(consume)
            }
        }
        #expect(try harness.files("blobs") == 0)
    }
}
