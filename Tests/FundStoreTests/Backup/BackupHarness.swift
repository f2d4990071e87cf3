import TestSupport
internal import Foundation
internal import Glibc
import FundCore
internal import Testing

@testable import FundStore

/// A store with a folder for its backup, and copies of both.
final class BackupHarness {
    let library: LibraryHarness

    var base: StoreHarness { library.base }
    var store: FundStore { base.store }
    var target: String { base.folder + "/backup" }
    var location: StoreLocation { StoreLocation(root: target) }
    var states: [BackupState] { get throws { try Array(BackupFolder(path: target).all().dropFirst()) } }

    init() async throws { library = try await LibraryHarness() }

    @discardableResult
    func backUp(keeping states: Int = 7, isForced: Bool = false, of store: FundStore? = nil) async throws
        -> BackupReport
    {
        try await (store ?? self.store).maintenance.backUp(
            to: target, BackupOptions(keptStates: states, isForced: isForced))
    }

    /// Backs up a large file, removes it for good, and backs up again: a kept state has it.
    func backUpBeforeAndAfterALargeFile() async throws {
        try await library.put("gone", String(repeating: "gone", count: Int(LogFormat.largeBytes) / 4))
        try await backUp()
        try await library.delete("gone")
        _ = try await store.library.emptyTrash(of: library.ann)
        try await backUp()
    }

    /// Why a backup is refused; nil when it is made.
    func refusal(of store: FundStore? = nil) async throws -> String? {
        do {
            try await backUp(of: store)
            return nil
        } catch let error as StoreError where error.code == .conflict { return error.detail }
    }

    /// A copy of the store's folder as it is now.
    func copyStore(_ name: String) throws -> String {
        try base.store.close()
        let path = "\(base.folder)/\(name)"
        try FileManager.default.copyItem(atPath: base.folder + "/store", toPath: path)
        try base.reopen()
        return path
    }

    /// Restores a state into a folder of its own, checks it, and gives its mails and files.
    func restored(_ state: String? = nil) async throws -> (subjects: Int, files: [String: Int64], isSound: Bool) {
        let path = "\(base.folder)/\(DiskDirectory.uniqueName(prefix: "restored"))"
        let report = try BackupFolder(path: target).restore(state, to: path)
        #expect(report.damages.isEmpty, "\(report.damages)")
        let store = try FundStore.open(at: path, mode: .existing)
        defer { try? store.close() }
        #expect(store.notice == nil)
        let (messages, files) = try store.connection.read("") { db in
            (
                try db.value("SELECT count(*) FROM message") ?? 0,
                try db.rows("SELECT name, size FROM file WHERE deleted_at IS NULL").reduce(into: [String: Int64]()) {
                    $0[$1[0]] = $1[1]
                }
            )
        }
        return (messages, files, try await store.maintenance.verify().isSound)
    }

    /// The names and bytes of all files of the backup.
    func contents() throws -> [String: [UInt8]] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: target)
        return try paths.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.filter {
            DiskFile.size(of: "\(target)/\($0)") != nil
        }.reduce(into: [:]) {
            $0[$1] = try TestFile.read("\(target)/\($1)")
        }
    }
}
