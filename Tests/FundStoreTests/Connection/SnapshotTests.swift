import Glibc
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A store on a file system that takes no writes, as a snapshot of LVM or btrfs is mounted.
@Suite(.startsPrograms, .serialized, .enabled(if: SmallDisk.isPossible, "this user may not mount a small disk"))
struct SnapshotTests {
    enum Leftover: CaseIterable {
        case nothing, locks, log, logAndIndex
    }

    @Test(arguments: Leftover.allCases) func isReadAsItIs(_ leftover: Leftover) async throws {
        let disk = try SmallDisk(bytes: 24 << 20)
        defer { disk.unmount() }
        let (path, copy) = (disk.path + "/live", disk.path + "/sto?re%20#")
        let fund = try await fill(path, copiedTo: copy, leftover)
        if leftover != .logAndIndex { unlink(copy + "/fundmail.sqlite-shm") }
        if leftover == .nothing { unlink(copy + "/write.lock") }
        // Not before the last file that is open for writing is closed.
        #expect(try await becomesTrue { (try? disk.makeReadOnly()) != nil })

        let snapshot = try FundStore.open(at: copy, mode: .readOnly)
        #expect(try await snapshot.administration.funds().map(\.fund.name) == ["Fund1"])
        #expect(try await snapshot.administration.misroutes().isEmpty)
        let report = try await snapshot.maintenance.verify()
        #expect(report.isSound && report.blobs == 1, "\(report)")
        let target = "/tmp/\(DiskDirectory.uniqueName(prefix: "export"))"
        defer { try? run("rm", "-r", target) }
        #expect(try await snapshot.maintenance.export(fund: fund, to: target).written == 1)
        try snapshot.close()
        #expect(throws: (any Error).self) { try FundStore.open(at: copy, mode: .existing) }
    }

    private func fill(_ path: String, copiedTo copy: String, _ leftover: Leftover) async throws -> Fund.ID {
        let store = try FundStore.open(at: path, mode: .create)
        let ann = try await store.administration.addUser(
            email: "ann@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
        let fund = try await store.library.addFund("Fund1", of: ann.id).id
        let upload = try store.library.makeUpload(named: "a", announcing: nil)
        try [UInt8](1...100).withUnsafeBytes { try upload.append($0) }
        _ = try await store.library.addFile(
            try upload.finish(contentType: "text/plain"),
            at: FileTarget("a.txt", in: LibraryPlace(fund: fund), ifTaken: .refuse), of: ann.id)
        // A snapshot of a store in use has its log; one that was closed has none.
        if leftover == .nothing || leftover == .locks { try store.close() }
        try run("cp", "-a", path, copy)
        try store.close()
        return fund
    }

    private func run(_ words: String...) throws {
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        #expect(posix_spawnp(&child, words[0], nil, nil, &arguments, environ) == 0)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        #expect(status == 0)
    }
}
