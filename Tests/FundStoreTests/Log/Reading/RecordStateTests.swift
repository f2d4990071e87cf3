internal import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The eight bytes of a record that say whether it is needed stand under no checksum: what is whole does not go with
/// them, and what was given up does not come back.
@Suite struct RecordStateTests {
    /// One bit of `live`, bits of both words, and what a disk leaves of a page.
    private static let changed = ["livelivf", "deadlive", "\0\0\0\0\0\0\0\0"]

    private func set(_ state: String, of location: RecordLocation, in directory: LogDirectory) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: directory.path(of: location.segment)))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(location.offset) + UInt64(LogFormat.stateOffset))
        try file.write(contentsOf: Array(state.utf8))
    }

    private func set(_ state: String, of digest: ContentDigest, in store: FundStore) throws {
        let location = try #require(try store.log.locations(of: digest).first)
        try set(state, of: location, in: store.log.directory)
    }

    private func salvage(_ path: String) throws -> SalvageReport {
        try Salvage.run([path], to: "\(path)/\(DiskDirectory.uniqueName(prefix: "salvaged"))")
    }

    @Test(arguments: changed) func whatIsWholeIsSalvaged(_ state: String) throws {
        let log = try LogHarness()
        let writer = log.writer()
        let locations = try ["one", "two", "gone"].map { try log.append(Array($0.utf8), to: writer) }
        try writer.sync()
        try set(state, of: locations[0], in: log.directory)
        let report = try salvage(log.directory.path)
        #expect(report.files == 3 && report.damagedStates == 1 && report.damages.count == 1, "\(report)")
        #expect(report.damages.allSatisfy { $0.contains("the state of the record at \(locations[0].offset)") })
        // A record that was given up has lost its bytes, or says so still.
        _ = try SegmentFile.write(locations[2].segment, in: log.directory)
            .giveUp([(locations[2], .of(Array("gone".utf8)))])
        #expect(try salvage(log.directory.path).files == 2)
        try set("deaddeae", of: locations[2], in: log.directory)
        let still = SalvageReport(files: 2, dead: 1, damagedStates: 1, damages: report.damages)
        #expect(try salvage(log.directory.path) == still)
        try set(state, of: locations[2], in: log.directory)
        let lost = try salvage(log.directory.path)
        #expect(lost.files == 2 && lost.damagedStates == 1 && lost.damages.count == 2, "\(lost)")
    }

    /// Where a row needs the record, it is read, named and mended, also when it says that it was given up.
    @Test(arguments: changed + ["deaddead"]) func whatARowNeedsIsReadAndMended(_ state: String) async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        let part = StoreHarness.Part(name: "p", bytes: patternBytes(200_000))
        let mail = try await harness.base.file("a: b\n\nc", parts: [part]).message.spooled.digest
        let file = try await harness.put("file", "text")
        try await harness.put("gone", "gone")
        try await harness.delete("gone")
        _ = try await store.library.emptyTrash(of: harness.ann)
        for digest in [part.digest, mail, file.digest] { try set(state, of: digest, in: store) }
        // A removed record is not among them.
        let report = try salvage(store.connection.location.root)
        #expect(report.messages == 1 && report.files == 2 && report.damagedStates == 3, "\(report)")
        #expect(try harness.text(of: file) == "text")
        #expect(try harness.base.content(part.digest) == (state == "deaddead" ? nil : part.bytes))
        var read: [UInt8] = []
        let content = try store.library.content(of: part.digest, size: Int64(part.bytes.count))
        for range in [0..<100_000, 100_000..<200_000] as [Range<Int64>] { try content.read(range) { read += $0 } }
        #expect(read == part.bytes && content.region(0..<200_000) == nil)
        let seen = try await store.maintenance.verify().findings
        #expect(seen.map(\.kind) == [.damagedState, .damagedState, .damagedState], "\(seen)")
        #expect(Set(seen.map(\.digest)) == [part.digest, mail, file.digest])
        let mended = try await store.maintenance.verify(repairing: KnownParts([]))
        #expect(mended.isSound && mended.findings.allSatisfy { $0.action == .settled }, "\(mended.findings)")
        #expect(try await store.maintenance.verify().findings == [])
        #expect(try salvage(store.connection.location.root).damagedStates == 0)
    }

    /// A copy by the same mail, or by a compaction, says what it should.
    @Test(arguments: [false, true]) func aCopyOfItSaysItRight(isCompacted: Bool) async throws {
        let harness = try await LibraryHarness()
        let raw = "a: b\n\nc"
        let mail = try await harness.base.file(raw).message.spooled.digest
        if isCompacted {
            try harness.store.connection.write("seal") {
                try $0.execute("UPDATE segment SET is_sealed = 1, end_offset = end_offset * 4")
            }
            try harness.base.reopen()
        }
        try set(Self.changed[0], of: mail, in: harness.store)
        if isCompacted {
            try harness.store.log.compact(atMost: .max)
        } else {
            #expect(try await harness.base.file(raw).outcome == .duplicate)
        }
        let found = try await harness.store.maintenance.verify().findings
        #expect(found == [], "\(found)")
        #expect(try harness.base.rawMessages() == 1)
    }

    /// A rebuilt database names a record that says what it should.
    @Test(arguments: [changed[0], "deaddead"]) func aRebuildWritesItAnew(_ state: String) async throws {
        let harness = try await LibraryHarness()
        let location = harness.store.connection.location
        let file = try await harness.put("file", "text")
        try set(state, of: file.digest, in: harness.store)
        try harness.store.close()
        let rebuild = try DatabaseRebuild.begin(at: location.root, also: [], isForced: true)
        _ = try await rebuild.store.administration.addUser(
            email: "ann@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        let recovery = try await rebuild.store.recoverLog(also: [])
        #expect(try await recovery.fileUploads(actor: "test").files == 1)
        #expect(recovery.damagedStates.count == 1 && recovery.damages == [], "\(recovery.damagedStates)")
        try await rebuild.store.finish(recovery)
        _ = try rebuild.finish()
        harness.base.store = try FundStore.open(at: location.root, mode: .existing)
        #expect(try harness.base.content(file.digest) == Array("text".utf8))
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// A backup gives nothing back that its own rows need.
    @Test func theGoodRecordOfABackupStays() async throws {
        let harness = try await BackupHarness()
        let kept = try await harness.library.put("kept", "kept")
        try await harness.library.put("gone", "gone")
        try await harness.backUp(keeping: 0)
        try set("deaddead", of: kept.digest, in: harness.store)
        try await harness.library.delete("gone")
        _ = try await harness.store.library.emptyTrash(of: harness.library.ann)
        #expect(try await harness.backUp(keeping: 0).damages == [])
        #expect(try await harness.restored().isSound)
    }

    /// Each backup names damage of the store that is older than any copy.
    @Test(arguments: [0, 30, 50, 90, LogFormat.stateOffset]) func eachBackupNamesIt(_ offset: Int) async throws {
        let harness = try await BackupHarness()
        var files: [FileEntry] = []
        for name in ["1", "2", "3"] { files.append(try await harness.library.put(name, name)) }
        let location = try #require(try harness.store.log.locations(of: files[1].digest).first)
        let path = harness.store.log.directory.path(of: location.segment)
        var bytes = try TestFile.read(path)
        bytes[Int(location.offset) + offset] ^= 1
        try TestFile.write(bytes, to: path)
        for isChecked in [false, true, false] {
            let report = try await harness.store.maintenance.backUp(
                to: harness.target, BackupOptions(keptStates: 0, isChecked: isChecked))
            #expect(report.damages.count == 1, "\(report.damages)")
            #expect(report.damages[0].hasPrefix("000001.seg: 1 of 3 records are damaged or missing: "))
            #expect(report.damages[0].contains("\(location.offset) of 000001.seg"))
        }
    }
}
