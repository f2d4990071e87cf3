internal import Foundation
import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// A store with a user, a fund and a drive, whose transfers a runner carries out.
final class TransferHarness: Sendable {
    let folder: String
    let store: FundStore
    let memory: MemoryDrive
    let ann: User
    let fund: Fund
    let drive: Drive
    let runner: TransferRunner

    init(
        _ files: [String: String] = [:], limits: TransferLimits = TransferLimits(maxFileBytes: .max)
    ) async throws {
        folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "transfers"))"
        store = try FundStore.open(at: folder, mode: .create)
        ann = try await store.administration.addUser(
            email: "ann@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        fund = try await store.administration.addFund(name: "F", owner: ann.id, aliases: [], actor: "test")
        let settings = try DriveSettings(.webdav, ["url": "https://a.example/", "user": "a", "pass": "b"])
        drive = try await store.drives.addDrive(NewDrive(name: "D", settings: settings), of: ann.id)
        memory = MemoryDrive(files)
        runner = TransferRunner(
            store.drives, memory, store.library, limits: limits, commits: store.library.commits,
            pause: { _ in .zero })
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var place: LibraryPlace { LibraryPlace(fund: fund.id) }

    func begin(_ work: NewDriveTransfer.Work) async throws -> DriveTransfer.ID {
        try await store.drives.addTransfer(NewDriveTransfer(drive: drive.id, work: work), of: ann.id).id
    }

    func pull(_ paths: String...) async throws -> DriveTransfer.ID {
        try await begin(.pull(paths.map { $0.isEmpty ? .top : DrivePath($0) ?? .top }, into: place))
    }

    /// A runner of another process, which goes on after this one's has ended.
    func otherRunner() async throws -> TransferRunner {
        let lease = try #require(try await store.drives.transferLease())
        lease.end()
        return TransferRunner(
            store.drives, memory, store.library, limits: TransferLimits(maxFileBytes: .max),
            commits: store.library.commits, pause: { _ in .zero })
    }

    /// Carries out what waits, and gives the state of a transfer.
    func run(_ id: DriveTransfer.ID) async throws -> DriveTransfer {
        try await runner.runDue()
        return try await store.drives.transfer(id, of: ann.id)
    }

    func add(_ text: String, _ name: String, in place: LibraryPlace? = nil) async throws -> FileEntry {
        let upload = try store.library.makeUpload(named: name, announcing: nil)
        try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
        return try await store.library.addFile(
            try upload.finish(contentType: "text/plain"),
            at: FileTarget(name, in: place ?? self.place, ifTaken: .refuse), of: ann.id)
    }

    /// The files of the fund with their texts, by their paths.
    func files(in place: LibraryPlace? = nil, below path: String = "") async throws -> [String: String] {
        var found: [String: String] = [:]
        for item in try await store.library.children(of: place ?? self.place, of: ann.id) {
            switch item {
            case .folder(let folder):
                let inner = try await files(
                    in: LibraryPlace(fund: folder.fund, folder: folder.id), below: "\(path)\(folder.name)/")
                found.merge(inner) { $1 }
            case .file(let file):
                var bytes: [UInt8] = []
                try store.library.content(of: file.digest, size: file.size).read(0..<file.size) { bytes += $0 }
                found[path + file.name] = String(decoding: bytes, as: UTF8.self)
            case .fund: break
            }
        }
        return found
    }
}
