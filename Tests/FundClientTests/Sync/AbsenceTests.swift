import Foundation
import Testing

@testable import FundClient

/// A delete waits as long as a write.
struct AbsenceTests {
    private let server = ModelServer()
    private let folder: ModelFolder
    private let fund: RemoteKey

    init() throws {
        folder = try ModelFolder()
        fund = try #require(server.add(.fund, "Fund1", in: nil))
    }

    private func folderSync(_ change: (inout FolderSync.Options) -> Void = { _ in }) throws -> FolderSync {
        var options = FolderSync.Options()
        (options.settleTime, options.patience) = (.zero, .zero)
        change(&options)
        return try FolderSync(
            folder.root, with: server, scope: "test", user: "ann", options: options,
            now: { Date(timeIntervalSince1970: 1_795_262_400) })
    }

    @discardableResult
    private func sync(_ change: (inout FolderSync.Options) -> Void = { _ in }) async throws -> SyncSummary {
        let sync = try folderSync(change)
        defer { sync.close() }
        return try await sync.run()
    }

    /// An editor moves the old file away and the new one into its place. However busy the folder is, the file on the
    /// server is not deleted in between.
    @Test func waitsForAFileThatIsMissing() async throws {
        for name in ["a.odt", "b.odt"] { server.add(.file, name, in: fund, Array(name.utf8)) }
        let sub = try #require(server.add(.folder, "sub", in: fund))
        server.add(.file, "c.odt", in: sub, Array("c".utf8))
        try await sync()
        let known = server.paths
        let waiting = try folderSync { $0.settleTime = .seconds(60) }
        try folder.remove("Fund1/a.odt")
        try folder.remove("Fund1/sub/c.odt")
        try folder.remove("Fund1/sub")
        let early = try await waiting.run()
        #expect(early.isWaiting && !early.isInStep && server.paths == known)
        waiting.close()
        // A dry run says what would be done.
        let dry = try await sync { ($0.settleTime, $0.isDryRun) = (.seconds(60), true) }
        #expect(dry.counts[.deleteThere] != nil && server.paths == known)
        // It came back in time: the same file with new content.
        try folder.write("new", to: "Fund1/a.odt")
        let saved = try await sync()
        #expect(saved.isInStep && saved.counts[.deleteThere] != nil)
        #expect(server.paths["Fund1/a.odt"] != nil && server.paths["Fund1/sub"] == nil)
    }

    /// A file that is missing at two looks that lie as far apart is deleted.
    @Test func deletesWhatIsMissingForLong() async throws {
        for name in ["a.odt", "b.odt"] { server.add(.file, name, in: fund, Array(name.utf8)) }
        try await sync()
        try folder.remove("Fund1/a.odt")
        let patient = try folderSync { ($0.settleTime, $0.patience) = (.milliseconds(20), .seconds(20)) }
        defer { patient.close() }
        #expect(try await patient.run().isInStep)
        #expect(server.paths["Fund1/a.odt"] == nil && server.paths["Fund1/b.odt"] != nil)
    }
}
