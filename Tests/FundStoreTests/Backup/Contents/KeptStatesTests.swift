import TestSupport
import Glibc
import FundCore
import Testing

@testable import FundStore

/// Yesterday's state can be had from today's backup.
@Suite struct KeptStatesTests {
    @Test func theLastStatesAreKept() async throws {
        let harness = try await BackupHarness()
        for number in 1...5 {
            try await harness.base.file("a: \(number)\n\nb")
            let report = try await harness.backUp(keeping: 3)
            #expect(report.keptStates == min(number - 1, 3))
        }
        // Nothing has changed: it is the same state.
        try await harness.backUp(keeping: 3)
        let states = try harness.states
        #expect(states.map(\.commits) == [4, 3, 2])
        for state in states {
            let restored = try await harness.restored(state.name)
            #expect(restored.subjects == Int(state.commits) && restored.isSound)
        }
        #expect(try await harness.restored().subjects == 5)
        // A copy of the folder is a whole store without them.
        let store = try FundStore.open(at: harness.target, mode: .readOnly)
        #expect(try await store.maintenance.verify().isSound)
        try store.close()
        try await harness.base.file("a: 6\n\nb")
        try await harness.backUp(keeping: 0)
        #expect(try harness.states.isEmpty)
    }

    /// A content that was deleted for good is in the states that had it, and leaves the backup with the last of them.
    @Test(arguments: [Int(LogFormat.largeBytes) + 7, 3000]) func aStateHasWhatWasPurgedSince(bytes: Int) async throws {
        let harness = try await BackupHarness()
        let (library, text) = (harness.library, String(repeating: "purged ", count: bytes / 7))
        try await library.put("kept", "kept")
        try await library.put("gone", text)
        try await harness.backUp(keeping: 2)
        try await library.delete("gone")
        _ = try await harness.store.library.emptyTrash(of: library.ann)
        func isThere() throws -> Bool {
            try harness.contents().contains { name, content in
                name.contains(".seg") && content.contains(Array("purged purged".utf8))
            }
        }
        for round in 0..<2 {
            try await library.put("new \(round)", "new")
            try await harness.backUp(keeping: 2)
            let oldest = try #require(try harness.states.last?.name)
            let restored = try await harness.restored(oldest)
            #expect(restored.isSound && restored.files == ["kept": 4, "gone": Int64(text.utf8.count)])
            #expect(try isThere())
            let latest = try await harness.restored()
            #expect(latest.isSound && latest.files["gone"] == nil && latest.files["kept"] == 4)
        }
        try await library.put("new", "new")
        try await harness.backUp(keeping: 2)
        #expect(try harness.states.count == 2 && !isThere())
        for state in try harness.states { #expect(try await harness.restored(state.name).isSound) }
    }

    /// The disk of the store changes a file; giving back what was purged beside it leaves the backup's good copy.
    @Test func damageOfTheStoreStaysThere() async throws {
        let harness = try await BackupHarness()
        let library = harness.library
        let (kept, gone) = ("kept " + String(repeating: "k", count: 3000), String(repeating: "purged ", count: 500))
        let file = try await library.put("kept", kept)
        try await library.put("gone", gone)
        try await harness.backUp(keeping: 0)
        try harness.base.damage(file.digest)
        try await library.delete("gone")
        _ = try await harness.store.library.emptyTrash(of: library.ann)
        try await harness.backUp(keeping: 0)
        #expect(try await harness.store.maintenance.verify().isSound == false)
        #expect(try await harness.restored().isSound)
        let log = try TestFile.read(harness.location.log + "/000001.seg")
        #expect(log.contains(Array(kept.utf8)) && !log.contains(Array("purged purged".utf8)))
    }

    enum ListDamage: Sendable, CaseIterable { case empty, torn, pipe, folder }

    /// A state whose list of segments cannot be read is named, can be had all the same, and is whole again after the
    /// next backup. What stands in the list's place holds up nothing.
    @Test(arguments: ListDamage.allCases) func aDamagedListIsSaid(damage: ListDamage) async throws {
        let harness = try await BackupHarness()
        try await harness.backUpBeforeAndAfterALargeFile()
        let before = try #require(try harness.states.first)
        let name = try #require(before.name)
        let list = "\(harness.target)/states/\(name).segments"
        let text = try TestFile.read(list)
        unlink(list)
        switch damage {
        case .empty: try TestFile.write([], to: list)
        case .torn: try TestFile.write(Array(text.dropLast(4)), to: list)
        case .pipe: mkfifo(list, 0o600)
        case .folder: mkdir(list, 0o700)
        }
        let found = try harness.states
        #expect(found.count == 1 && found[0].problem?.contains(".segments") == true && found[0].number == before.number)
        #expect(try await harness.restored(name).files.keys.sorted() == ["gone"])
        let report = try await harness.backUp()
        #expect(report.renewals.count == 1 && report.damages == [], "\(report)")
        #expect(try harness.states.first { $0.name == name } == before)
        #expect(try await harness.restored(name).isSound)
    }

    /// A state of which a byte has changed is refused, and what stands there already is not written over. A check names
    /// the state and what can be done.
    @Test func restoringIsRefused() async throws {
        let harness = try await BackupHarness()
        for number in 1...2 {
            try await harness.base.file("a: \(number)\n\nb")
            try await harness.backUp()
        }
        let (folder, target) = (BackupFolder(path: harness.target), harness.base.folder + "/restored")
        let name = try #require(try harness.states.first?.name)
        #expect(await failure { _ = try folder.restore("1999", to: target) } == .notFound)
        #expect(await failure { _ = try BackupFolder(path: target).all() } == .notFound)
        #expect(await failure { _ = try folder.restore(nil, to: harness.base.folder) } == .alreadyExists)
        for place in ["\(harness.target)/x", "\(harness.target)/states/x/y/", harness.target] {
            #expect(await failure { _ = try folder.restore(nil, to: place) } == .invalid)
        }
        #expect(DiskFile.kind(of: "\(harness.target)/x") == nil)
        let path = "\(harness.target)/states/\(name).sqlite.zst"
        var bytes = try TestFile.read(path)
        bytes[bytes.count / 2] ^= 1
        try TestFile.write(bytes, to: path)
        #expect {
            _ = try folder.restore(String(name.prefix(4)), to: target)
        } throws: { error in
            let error = error as? StoreError
            return error?.code == .invalid && error?.condition == .input
                && [name, "is damaged", "--list"].allSatisfy { error?.description.contains($0) == true }
        }
        #expect(DiskFile.size(of: target + "/fundmail.sqlite") == nil)
        let options = BackupOptions(isChecked: true)
        for check in 1...2 {
            let report = try await harness.store.maintenance.backUp(to: harness.target, options)
            #expect(report.damages.count == 1, "\(check): \(report)")
            #expect([name, "--keep", "remove states/"].allSatisfy { report.damages.first?.contains($0) == true })
        }
        for suffix in ["sqlite.zst", "segments"] { unlink("\(harness.target)/states/\(name).\(suffix)") }
        #expect(try await harness.store.maintenance.backUp(to: harness.target, options).damages == [])
    }
}
