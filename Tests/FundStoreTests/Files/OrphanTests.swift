import TestSupport
import Glibc
import FundCore
import Synchronization
import Testing

@testable import FundStore

/// Bytes that no row knows: no way may leave any but at the end of a segment.
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
        let upload = try store.library.makeUpload(named: "a", announcing: Int64(text.utf8.count))
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
        #expect(try harness.count("blob") == 0 && harness.liveBytes() == 0)
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
                }
                // Another upload of the same bytes was faster.
                let label = RecordHeader.Label(kind: .blob, digest: digest, contentBytes: 4, time: .now)
                let record = try? Array("same".utf8).withUnsafeBytes { try store.log.append(label, [$0]) }
                try? store.log.sync(appendedIn: [store.log.generation])
                _ = try? store.connection.write("") { try BlobRows(db: $0).id(of: digest, size: 4, record) }
            }
        }
        #expect(
            await failure {
                _ = try await store.library.addFile(
                    try upload("same", to: store), at: FileTarget("a", in: place, ifTaken: .refuse), of: ann)
            } == .alreadyExists)
        #expect(try harness.content(digest) == Array("same".utf8))
        #expect(try await store.maintenance.verify().isSound)
    }

    /// The sweep removes parts of large uploads that killed processes leave in `tmp`.
    @Test func theSweepTakesWhatIsUnused() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        let kept = try await harness.put("kept", "kept")
        close(open(store.connection.location.temporary + "/large-dead", O_CREAT | O_WRONLY, 0o600))
        let pending = try store.library.makeUpload(named: "a", announcing: nil)
        #expect(try await store.maintenance.sweep() == 1)
        #expect(try harness.base.content(kept.digest) == Array("kept".utf8))
        #expect(try await becomesTrue { try harness.base.leftovers.count == 1 })
        withExtendedLifetime(pending) {}
    }

    @Test func aMessageThatCannotBeStagedLeavesNothing() async throws {
        let harness = try await StoreHarness()
        let parts = [StoreHarness.Part(name: "one", bytes: [1]), StoreHarness.Part(name: "two", bytes: [2])]
        let message = try harness.message("a: b\n\nc", parts: parts)
        #expect(throws: (any Error).self) {
            try harness.store.mail.stage(message) { index, consume in
                // The second reads differently from what the parser said.
                try [UInt8](repeating: 1, count: index + 1).withUnsafeBytes(consume)
            }
        }
        #expect(try harness.count("blob") == 0 && harness.liveBytes() == 0)
        // Records that were appended before are taken for no message.
        #expect(try await harness.file("a: b\n\nc", parts: parts).outcome == .filed)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// The power was lost before bytes of new segments were on the disk. One that holds more may be of a newer log.
    @Test(arguments: [0, 32, 33]) func whatALostPowerLeftEmptyIsRemoved(bytes: Int) async throws {
        let harness = try await StoreHarness()
        let log = harness.store.log
        try await harness.file("a: b\n\nc")
        let number = try SQLSegmentCatalog(rows: harness.store.connection).add()
        let path = log.directory.path(of: number)
        try TestFile.write([UInt8](repeating: 0, count: bytes), to: path)
        // Another process is just making it.
        let maker = open(path, O_RDWR | O_CLOEXEC)
        #expect(flock(maker, LOCK_EX | LOCK_NB) == 0)
        try log.reclaim()
        #expect(access(path, F_OK) == 0)
        close(maker)
        try log.reclaim()
        #expect((access(path, F_OK) != 0) == (bytes <= 32))
        #expect(try harness.count("segment") == (bytes <= 32 ? 1 : 2))
        #expect(try await harness.file("a: b\n\nd").outcome == .filed)
    }

    /// A database that was restored is older than its log: of what it does not know nothing is removed or cut.
    ///
    /// - Parameter knowsSegment: that there is one, and nothing of its records.
    @Test(arguments: [true, false], [100, Int(LogFormat.largeBytes)])
    func aNewerLogStays(knowsSegment: Bool, bytes: Int) async throws {
        func append(_ text: String, to store: FundStore) throws {
            let bytes = Array(text.utf8)
            let label = RecordHeader.Label(
                kind: .blob, digest: .of(bytes), contentBytes: Int64(bytes.count), time: .now)
            _ = try bytes.withUnsafeBytes { try store.log.append(label, [$0]) }
            try store.log.sync(appendedIn: [store.log.generation])
        }
        let harness = try await StoreHarness()
        let location = harness.store.connection.location
        if knowsSegment { try append("of no row", to: harness.store) }
        let older = location.root + "/older"
        try DatabaseFile.copy(location.database, to: older)
        let part = StoreHarness.Part(name: "a", bytes: [UInt8](repeating: 7, count: bytes))
        try await harness.file("a: b\n\nc", parts: [part])
        try harness.store.close()
        for suffix in ["-wal", "-shm"] { unlink(location.database + suffix) }
        try #require(rename(older, location.database) == 0)
        let store = try FundStore.open(at: location.root, mode: .existing)
        for round in 0..<3 {
            try append("new \(round)", to: store)
            try append(String(repeating: "\(round)", count: 2 << 20), to: store)
            try store.log.reclaim()
        }
        let target = location.root + "/out"
        let report = try Salvage.run([location.log], to: target)
        try store.close()
        #expect(report.messages == 1 && report.damages.isEmpty, "\(report)")
        let files = try DiskDirectory.names(in: target + "/files")
        #expect(try files.contains { try TestFile.read("\(target)/files/\($0)") == part.bytes }, "\(files)")
    }
}
