internal import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A store that goes on from an earlier state has another history: no id and no cursor of the time after that state
/// means anything else there.
@Suite struct StoreHistoryTests {
    private struct Standing: Equatable {
        var history: HistoryID
        var cursor: ChangeCursor
    }

    private func standing(_ store: FundStore, _ harness: LibraryHarness) async throws -> Standing {
        let page = try await store.library.changes(of: harness.ann, after: nil, limit: 1000, withItems: false)
        return Standing(history: page.history, cursor: page.cursor)
    }

    private func put(_ name: String, _ text: String, _ harness: LibraryHarness, in store: FundStore) async throws
        -> FileEntry
    {
        let upload = try store.library.makeUpload(named: name, announcing: nil)
        try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
        return try await store.library.addFile(
            try upload.finish(contentType: "text/plain"), at: FileTarget(name, in: harness.top, ifTaken: .replace),
            of: harness.ann)
    }

    @Test func aRestoredBackupHasAnother() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        try await store.library.beginChangeEpoch()
        let early = try await harness.put("early")
        let before = try await standing(store, harness)
        let backup = harness.base.folder + "/backup"
        _ = try await store.maintenance.backUp(to: backup)
        // None begins by a start, nor by a backup.
        try await store.library.beginChangeEpoch()
        #expect(try await standing(store, harness).history == before.history)
        let late = try await harness.put("late", "made after the backup")
        let lateFolder = try await harness.folder("late folder")
        let lateFund = try await store.library.addFund("late fund", of: harness.ann)
        let after = try await standing(store, harness)

        var histories: Set = [before.history]
        for number in 1...2 {
            let path = harness.base.folder + "/restored\(number)"
            try FileManager.default.copyItem(atPath: backup, toPath: path)
            var restored = try FundStore.open(at: path, mode: .existing)
            try await restored.library.beginChangeEpoch()
            let now = try await standing(restored, harness)
            // Each time that one backup is restored.
            #expect(histories.insert(now.history).inserted)
            for cursor in [before.cursor, after.cursor] {
                let code = await failure {
                    _ = try await restored.library.changes(of: harness.ann, after: cursor, limit: 1, withItems: false)
                }
                #expect(code == .outdated)
            }
            let file = try await put("other", "another one", harness, in: restored)
            let folder = try await restored.library.addFolder("other folder", in: harness.top, of: harness.ann)
            let fund = try await restored.library.addFund("other fund", of: harness.ann)
            #expect(file.id.rawValue > late.id.rawValue && folder.id.rawValue > lateFolder.id.rawValue)
            #expect(fund.id.rawValue > lateFund.id.rawValue)
            // Only the first opening.
            try restored.close()
            restored = try FundStore.open(at: path, mode: .existing)
            try await restored.library.beginChangeEpoch()
            #expect(try await standing(restored, harness).history == now.history)
            let next = try await put("next", "one more", harness, in: restored)
            #expect(next.id.rawValue == file.id.rawValue + 1)
            #expect(try await restored.library.file(early.id, of: harness.ann).name == "early")
            #expect(try await restored.maintenance.verify().isSound)
            // The row that stands for the ids goes, and nothing else.
            _ = try await restored.library.emptyTrash(of: harness.ann)
            #expect(try await restored.library.children(of: harness.top, of: harness.ann).count == 4)
            #expect(try await restored.maintenance.verify().isSound)
            try restored.close()
        }
    }

    /// The database of a backup, or of a copy, beside the log as it is.
    @Test func aDatabaseThatIsOlderThanItsLogBeginsAnother() async throws {
        let harness = try await LibraryHarness()
        let path = harness.base.folder + "/store"
        try await harness.store.library.beginChangeEpoch()
        _ = try await harness.put("early")
        let before = try await standing(harness.store, harness)
        try harness.store.close()
        let older = harness.base.folder + "/older"
        try FileManager.default.copyItem(atPath: path, toPath: older)
        try harness.base.reopen()
        try await harness.store.library.beginChangeEpoch()
        let late = try await harness.put("late", "made after the copy")
        try harness.store.close()
        // The database is one file or several, by what is not merged into it yet.
        for name in ["fundmail.sqlite", "fundmail.sqlite-wal", "fundmail.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
            guard FileManager.default.fileExists(atPath: "\(older)/\(name)") else { continue }
            try FileManager.default.copyItem(atPath: "\(older)/\(name)", toPath: "\(path)/\(name)")
        }
        // The lock of the segment goes with the object that had it, once another has taken its place.
        try harness.base.reopen()
        try harness.base.reopen()
        try await harness.store.library.beginChangeEpoch()
        let now = try await standing(harness.store, harness)
        #expect(now.history != before.history)
        #expect(try await harness.put("other", "another one").id.rawValue > late.id.rawValue)
        // The content of the log is unchanged.
        try await harness.store.library.beginChangeEpoch()
        #expect(try await standing(harness.store, harness).history == now.history)
    }
}
