import FundCore
import TestSupport
import Testing

@testable import DriveBridge

/// Looks at single files, for which a child that runs is asked.
@Suite(.startsPrograms) struct FileLookTests {
    private static let (id, user) = (OneDrive.id, OneDrive.user)

    /// The child that runs says the same as a listing and as a child that begins.
    @Test func allWaysTellTheSame() async throws {
        let store = try TestStore()
        let names = ["f", "a b%20?#&;'\"\u{4E2D}\u{6587}", "-x", "null"]
        for (number, name) in names.enumerated() {
            try TestFile.write([UInt8](repeating: 7, count: number * 1000), to: store.path(name))
        }
        try TestFile.makeDirectory(store.path("d"))
        let (drives, _) = try TestStore.drives(store.port)
        let listed = try await drives.entries(in: .top, of: Self.id, Self.user)
        #expect(listed.count == names.count + 1)
        for name in names {
            let (path, entry) = (try #require(DrivePath([name])), try #require(listed.first { $0.name == name }))
            #expect(try await drives.entry(at: path, of: Self.id, Self.user) == entry)
        }
        // It starts the child that `entry` asks from now on.
        for name in names {
            let (path, entry) = (try #require(DrivePath([name])), listed.first { $0.name == name })
            #expect(try await drives.file(at: path, of: Self.id, Self.user) == entry)
            #expect(try await drives.entry(at: path, of: Self.id, Self.user) == entry)
        }
        let (folder, missing) = (try #require(DrivePath(["d"])), try #require(DrivePath(["d", "f"])))
        #expect(try await drives.file(at: folder, of: Self.id, Self.user) == nil)
        #expect(try await drives.entry(at: folder, of: Self.id, Self.user).isFolder)
        #expect(try await drives.file(at: missing, of: Self.id, Self.user) == nil)
        #expect(try await drives.file(at: .top, of: Self.id, Self.user) == nil)
        do {
            _ = try await drives.entry(at: missing, of: Self.id, Self.user)
            Issue.record("it is there")
        } catch let error as DriveError { #expect(error.problem == .notFound) }
        store.stop()
        await #expect(throws: DriveError.self) {
            try await drives.file(at: try #require(DrivePath(["f"])), of: Self.id, Self.user)
        }
    }
}
