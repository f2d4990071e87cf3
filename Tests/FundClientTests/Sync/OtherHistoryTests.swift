import Foundation
import TestSupport
import Testing

@testable import FundClient

/// A server that goes on from an earlier state: from a backup, or from a copy of its database.
@Suite struct OtherHistoryTests {
    private let server = ModelServer()
    private let folder: ModelFolder
    private let fund: RemoteKey
    private let first = RemoteHistory(server: "first")

    init() throws {
        folder = try ModelFolder()
        fund = try #require(server.add(.fund, "Fund1", in: nil))
        server.history = first
    }

    @discardableResult
    private func sync(
        isDryRun: Bool = false, direction: FolderSync.Direction = .both,
        reachStep: @escaping @Sendable () throws(SyncLocalError) -> Void = {}
    ) async throws -> SyncSummary {
        var options = FolderSync.Options()
        (options.settleTime, options.patience, options.isDryRun) = (.zero, .zero, isDryRun)
        options.direction = direction
        let sync = try FolderSync(
            folder.root, with: server, scope: "test", user: "ann", options: options,
            now: { Date(timeIntervalSince1970: 1_795_262_400) }, reachStep: reachStep)
        defer { sync.close() }
        return try await sync.run()
    }

    private static let others: [RemoteHistory] = [
        // Histories of a server that names its history, and of one that refuses the cursor.
        RemoteHistory(server: "second"), RemoteHistory(server: "first", round: 2),
    ]

    /// Four files are made and one is changed after the backup.
    private func workAfterABackup() async throws -> ModelServer.Backup {
        for name in ["edited", "same", "gone"] { server.add(.file, name, in: fund, Array("\(name) 1".utf8)) }
        try await sync()
        let backup = server.backup
        try folder.write("edited 2", to: "Fund1/edited")
        try folder.remove("Fund1/gone")
        try folder.makeFolder("Fund1/new folder")
        for number in 1...4 { try folder.write("new \(number)", to: "Fund1/new folder/\(number)") }
        #expect(try await sync().isInStep)
        return backup
    }

    @Test(arguments: others) func nothingIsDeletedOrUndone(_ other: RemoteHistory) async throws {
        let backup = try await workAfterABackup()
        server.restore(backup, as: other)
        let here = folder.paths
        let would = try await sync(isDryRun: true)
        #expect(would.isOtherHistory && would.counts[.deleteHere] == nil && folder.paths == here)
        let summary = try await sync()
        #expect(summary.isInStep && summary.isOtherHistory)
        #expect(summary.counts[.deleteHere] == nil && summary.counts[.deleteThere] == nil)
        #expect(summary.counts[.updateHere] == nil && summary.counts[.updateThere] == nil)
        #expect(folder.paths == server.paths)
        for number in 1...4 { #expect(folder.text("Fund1/new folder/\(number)") == "new \(number)") }
        #expect(folder.text("Fund1/edited") == "edited 1")
        #expect(folder.text("Fund1/edited (conflict, ann, 2026-11-21)") == "edited 2")
        // Deleted after the backup: the backup has it.
        #expect(folder.text("Fund1/gone") == "gone 1")
        // From then on it is as before.
        try folder.remove("Fund1/same")
        let next = try await sync()
        #expect(next.isInStep && !next.isOtherHistory && next.counts[.deleteThere] == 1)
    }

    /// The restored server gives ids again, to another machine's files and folders.
    @Test func noFileIsReplacedByAStrangers() async throws {
        let backup = try await workAfterABackup()
        server.restore(backup, as: RemoteHistory(server: "second"))
        let place = try #require(server.add(.folder, "strange", in: fund))
        for number in 1...4 { server.add(.file, "strange \(number)", in: place, Array("strange \(number)".utf8)) }
        let summary = try await sync()
        #expect(summary.isInStep && folder.paths == server.paths)
        #expect(summary.counts[.moveHere] == nil && summary.counts[.updateHere] == nil)
        for number in 1...4 {
            #expect(folder.text("Fund1/new folder/\(number)") == "new \(number)")
            #expect(folder.text("Fund1/strange/strange \(number)") == "strange \(number)")
        }
    }

    /// A kill at any step of the first run afterwards takes nothing either.
    @Test(arguments: 1...12) func aKillLosesNothing(step: Int) async throws {
        let backup = try await workAfterABackup()
        server.restore(backup, as: RemoteHistory(server: "second"))
        let before = Set(folder.paths.values.compactMap(\.self)).union(server.paths.values.compactMap(\.self))
        let left = Countdown(step)
        _ = try? await sync(reachStep: { () throws(SyncLocalError) in
            if !left.next() { throw SyncLocalError(.stopped, "killed") }
        })
        let summary = try await sync()
        #expect(summary.isInStep && folder.paths == server.paths)
        #expect(folder.versions.union(server.versions).isSuperset(of: before))
        for number in 1...4 { #expect(folder.text("Fund1/new folder/\(number)") == "new \(number)") }
    }

    /// One way down, what is only here stays here.
    @Test func oneWayItDeletesNothingEither() async throws {
        let backup = try await workAfterABackup()
        server.restore(backup, as: RemoteHistory(server: "second"))
        let summary = try await sync(direction: .down)
        #expect(summary.counts[.deleteHere] == nil)
        for number in 1...4 { #expect(folder.text("Fund1/new folder/\(number)") == "new \(number)") }
        #expect(folder.text("Fund1/edited (conflict, ann, 2026-11-21)") == "edited 2")
    }

    /// Files that are as they were when both sides were in step are not read again.
    @Test func knownDigestsStay() async throws {
        let backup = try await workAfterABackup()
        server.restore(backup, as: RemoteHistory(server: "second"))
        let path = folder.path("Fund1/same")
        let state = try SyncState(path: folder.path(".fund/state.sqlite"))
        let history = RemoteHistory(server: "second")
        #expect(try state.isOther(history))
        let status = Fingerprint(try LocalFiles.status(path))
        let known = try state.read { try $0.digest(of: status) }
        #expect(known == ModelServer.digest(Array("same 1".utf8)))
        try state.forgetServer(for: history)
        #expect(try state.read { try $0.digest(of: status) } == known)
        #expect(try state.read { try $0.fileCount() } == 0)
        #expect(try !state.isOther(history))
        try state.forgetFormer()
        #expect(try state.read { try $0.digest(of: status) } == nil)
        state.close()
    }

    /// A server that begins to name its history is the same; what was kept before histories were noted is believed
    /// unless the server has refused a cursor.
    @Test func aNameAloneChangesNothing() async throws {
        server.history = RemoteHistory(server: nil)
        server.add(.file, "a", in: fund, Array("1".utf8))
        try await sync()
        server.history = RemoteHistory(server: "named")
        #expect(try await sync().isOtherHistory == false)
        server.history = RemoteHistory(server: "other")
        #expect(try await sync().isOtherHistory)
    }

    @Test(arguments: [1, 2] as [Int64]) func rowsWithoutAHistoryAreBelievedUnlessRefused(round: Int64) async throws {
        server.history = nil
        server.add(.file, "a", in: fund, Array("1".utf8))
        try await sync()
        server.history = RemoteHistory(server: "first", round: round)
        #expect(try await sync().isOtherHistory == (round > 1))
    }

    /// With the program, its backup and its catalogue.
    @Test(.startsPrograms) func aRealServerThatIsRestored() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let backup = harness.store.folder + "/backup"
        var options = FolderSync.Options()
        (options.settleTime, options.patience, options.fund) = (.zero, .zero, harness.fund)
        func sync() async throws -> SyncSummary {
            let catalogue = try harness.catalogue()
            defer { try? catalogue.close() }
            let sync = try FolderSync(folder.root, of: harness.session, catalogue: catalogue, options: options)
            defer { sync.close() }
            return try await sync.run()
        }
        try folder.write("edited 1", to: "edited")
        try folder.write("same", to: "same")
        #expect(try await sync().isInStep)
        let done = try await harness.store.program.run(harness.store.arguments(["backup", "--to", backup]))
        try #require(done.isSuccess, "\(done)")
        try folder.write("edited 2", to: "edited")
        for number in 1...4 { try folder.write("new \(number)", to: "new \(number)") }
        #expect(try await sync().isInStep)
        harness.killServer()
        let path = harness.store.folder + "/store"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: backup, toPath: path)
        try await harness.startServer()
        // Another machine is first.
        for number in 1...4 { _ = try await harness.put("strange \(number)", [UInt8(number)]) }
        let summary = try await sync()
        #expect(summary.isInStep && summary.isOtherHistory && summary.problems.isEmpty)
        #expect(summary.counts[.deleteHere] == nil && summary.counts[.updateHere] == nil)
        for number in 1...4 {
            #expect(folder.text("new \(number)") == "new \(number)")
            #expect(try LocalFiles.status(folder.path("strange \(number)")).size == 1)
        }
        let texts = Set(folder.paths.keys.filter { $0.hasPrefix("edited") }.compactMap { folder.text($0) })
        #expect(texts == ["edited 1", "edited 2"])
        let names = try await harness.session.items(of: .fund(harness.fund)).map(\.name)
        #expect(Set(names) == Set(folder.paths.keys))
        #expect(try await sync().isOtherHistory == false)
    }
}
