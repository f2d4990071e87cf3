internal import Foundation
import Glibc
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A disk that is full to the last byte: people still sign in, delete and make room.
@Suite(.startsPrograms, .serialized, .enabled(if: SmallDisk.isPossible, "this user may not mount a small disk"))
struct FullDiskTests {
    private static let megabyte = 1 << 20

    private func withDisk(_ body: (SmallDisk, FundStore, User) async throws -> Void) async throws {
        let disk = try SmallDisk(bytes: 24 * Self.megabyte)
        defer { disk.unmount() }
        let store = try FundStore.open(at: disk.path + "/store", mode: .create)
        let ann = try await store.administration.addUser(
            email: "ann@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        try await body(disk, store, ann)
        try store.close()
    }

    private func upload(_ bytes: Int, to store: FundStore, announcing: Bool = true) throws -> StagedUpload {
        let writer = try store.library.makeUpload(named: "a", announcing: announcing ? Int64(bytes) : nil)
        let piece = (0..<65536).map { _ in UInt8.random(in: 0...255) }
        for _ in 0..<(bytes / piece.count) { try piece.withUnsafeBytes { try writer.append($0) } }
        return try writer.finish(contentType: "text/plain")
    }

    private func isFull(_ error: any Error) -> Bool {
        (error as? StoreError)?.code == .outOfSpace || (error as? DiskError)?.isOutOfSpace == true
    }

    @Test func smallWritesGoOnAndRoomComesBack() async throws {
        try await withDisk { disk, store, ann in
            let fund = try await store.library.addFund("Fund1", of: ann.id)
            let place = LibraryPlace(fund: fund.id)
            let big = try await store.library.addFile(
                try upload(8 * Self.megabyte, to: store), at: FileTarget("big", in: place, ifTaken: .refuse), of: ann.id
            )
            let small = try await store.library.addFile(
                try upload(Self.megabyte, to: store), at: FileTarget("small", in: place, ifTaken: .refuse), of: ann.id)
            try disk.fill()
            // Nothing that adds something.
            #expect { _ = try store.library.makeUpload(named: "a", announcing: 1) } throws: { isFull($0) }
            #expect { _ = try upload(65536, to: store, announcing: false) } throws: { isFull($0) }
            await #expect {
                _ = try await store.library.addNote(
                    NoteText(title: "t", content: "c"), in: fund.id, of: ann.id)
            } throws: { isFull($0) }
            #expect {
                var writer = store.mail.spool.makeWriter()
                try [UInt8](repeating: 0, count: 2 << 20).withUnsafeBytes { try writer.append($0) }
            } throws: { isFull($0) }
            // Logins for days, and what makes room.
            for number in 0..<2000 {
                try await store.accounts.noteLogin(
                    from: LoginPlace(name: "n", address: "a"), succeeded: true,
                    at: Timestamp(1_800_000_000 + Int64(number)))
            }
            _ = try await store.library.move(.file(small.id), to: place, named: "moved", ifTaken: .refuse, of: ann.id)
            try await store.library.delete(.file(big.id), of: ann.id)
            #expect(try await store.library.emptyTrash(of: ann.id) == 1)
            #expect(try store.log.locations(of: big.digest).isEmpty)
            #expect(DiskFile.size(of: store.connection.location.writeAheadLog) ?? 0 < 200_000)
            #expect(store.connection.space.room > Int64(6 * Self.megabyte))
            // The part of the reserve that was given up is taken back first.
            try await store.maintenance.refillReserve()
            #expect(!store.connection.space.isReserveShort)
            _ = try await store.library.addFile(
                try upload(Self.megabyte, to: store), at: FileTarget("again", in: place, ifTaken: .refuse), of: ann.id)
            #expect(try await store.maintenance.verify().isSound)
        }
    }

    @Test func uploadsTogetherAreHeldAgainstWhatIsFree() async throws {
        try await withDisk { _, store, _ in
            #expect { _ = try store.library.makeUpload(named: "a", announcing: 16 << 30) } throws: { isFull($0) }
            let first = try store.library.makeUpload(named: "a", announcing: 12 << 20)
            #expect { _ = try store.library.makeUpload(named: "a", announcing: 12 << 20) } throws: { isFull($0) }
            #expect(try DiskDirectory.names(in: store.connection.location.temporary).count == 1)
            withExtendedLifetime(first) {}
        }
    }

    /// Uploads that do not announce their size end before the reserve does.
    @Test func anEndlessUploadLeavesTheReserve() async throws {
        try await withDisk { _, store, _ in
            #expect { _ = try upload(64 * Self.megabyte, to: store, announcing: false) } throws: { isFull($0) }
            let left = try DiskDirectory.names(in: store.connection.location.temporary)
            #expect(!store.connection.space.isReserveShort)
            #expect(left == [])
        }
    }

    @Test func whatDoesNotFitOfABatchLeavesNothing() async throws {
        try await withDisk { disk, store, ann in
            let harness = try await StoreHarness()
            let part = StoreHarness.Part(name: "p", bytes: [UInt8](repeating: 7, count: 3 << 20))
            var message = try harness.message("a: b\n\nc", parts: [part])
            var writer = store.mail.spool.makeWriter()
            try Array("a: b\n\nc".utf8).withUnsafeBytes { try writer.append($0) }
            message.spooled = writer.finish()
            let fund = try await store.administration.addFund(name: "Fund1", owner: ann.id, aliases: [], actor: "t")
            (message.decision.user, message.decision.fund) = (ann, fund)
            let staged = try store.mail.stage(message) { _, consume in try part.bytes.withUnsafeBytes(consume) }
            try disk.fill()
            await #expect { _ = try await store.mail.commit([staged]) } throws: { isFull($0) }
            await store.mail.abandon([staged])
            #expect(try await store.maintenance.verify().findings == [])
        }
    }

    /// A repair for which there is no room says so, and leaves nothing.
    @Test func aRepairWithoutRoomLeavesNothing() async throws {
        let damaged = try await DamagedStore()
        for number in 0..<60 { try await damaged.harness.file("a: \(number)\n\nb", reason: .noTag) }
        _ = try await damaged.harness.store.maintenance.backUp(to: damaged.backup)
        try damaged.zeroPage(of: "misroute")
        try damaged.harness.store.close()
        let disk = try SmallDisk(bytes: 24 * Self.megabyte)
        defer { disk.unmount() }
        truncate(damaged.harness.folder + "/store/reserve", 0)
        let path = disk.path + "/store"
        try FileManager.default.copyItem(atPath: damaged.harness.folder + "/store", toPath: path)
        let location = StoreLocation(root: path)
        let size = Int(try #require(DiskFile.size(of: location.database)))
        let store = try FundStore.open(at: path, mode: .existing)
        defer { try? store.close() }
        // For the draft, for the copy of what is damaged, and for the pages of the new one.
        for tenths in [5, 15, 25] {
            try disk.fill(leaving: size * tenths / 10)
            await #expect {
                try await store.maintenance.repairDatabase(from: damaged.backup, acceptsRows: false)
            } throws: { error in
                isFull(error) && !"\(error)".contains("not an error")
            }
            disk.unfill()
            #expect(
                try DiskDirectory.names(in: location.lost) == [] && DiskDirectory.names(in: location.temporary) == [])
        }
        #expect(try await store.maintenance.repairDatabase(from: damaged.backup, acceptsRows: false).count > 0)
        #expect(try DiskDirectory.names(in: location.lost).count == 1)
    }
}
