import FundCore
import Synchronization
import TestSupport
import Testing

@testable import DriveBridge

/// Stores that send almost nothing, or without end: what they take from others is bounded.
@Suite(.startsPrograms) struct SlowStoreTests {
    private static let (id, user, other) = (OneDrive.id, OneDrive.user, OneDrive.other)

    private static func path(_ name: String) throws -> DrivePath { try #require(DrivePath([name])) }

    private static func problem(_ work: () async throws -> Void) async -> DriveProblem? {
        do { try await work() } catch let error as DriveError { return error.problem } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    /// Small files come through the service, large ones by a child of their own.
    @Test(arguments: [8_000_000, 9_000_000])
    func aSlowFileEnds(_ size: Int) async throws {
        let store = try ScriptedStore(["slow": size])
        var limits = RunLimits()
        // Slower than any pace: what lasts for longer than this is ended.
        limits.pace = DrivePace(rateSeconds: 0.5, leastBytes: .max)
        let (drives, _) = try TestStore.drives(store.port, limits: limits)
        let path = try Self.path("slow")
        let problem = await Self.problem {
            try await drives.read(path, from: 0, size: Int64(size), of: Self.id, Self.user) { _ in }
        }
        #expect(problem == .tooSlow)
    }

    /// rclone's server does not tell why it cannot open a file.
    @Test(arguments: [
        (401, DriveProblem.login), (403, .refused), (404, .notFound), (423, .busy), (507, .full), (500, .server),
    ])
    func aRefusedFileSaysWhy(_ status: Int, _ expected: DriveProblem) async throws {
        let name = "\(status).txt"
        let store = try ScriptedStore([name: 1000])
        let (drives, _) = try TestStore.drives(store.port)
        let path = try Self.path(name)
        let problem = await Self.problem {
            try await drives.read(path, from: 0, size: 1000, of: Self.id, Self.user) { _ in }
        }
        #expect(problem == expected)
    }

    /// A person whose store never answers leaves places to others, and is told so.
    @Test func oneStuckStoreLeavesPlaces() async throws {
        let store = try ScriptedStore(["a": 10])
        var limits = RunLimits()
        limits.maxWait = .zero
        let (drives, _) = try TestStore.drives(store.port, limits: limits)
        let paths = try (0..<4).map { try Self.path("stuck\($0)") }
        let patient = drives.patient
        let stuck = paths.prefix(2).map { path in
            Task { try await patient.entries(in: path, of: Self.id, Self.user) }
        }
        try await store.waitForHeld(2)
        #expect(await Self.problem { _ = try await drives.entries(in: paths[2], of: Self.id, Self.user) } == .busy)
        let waiting = Task { try await patient.entries(in: paths[3], of: Self.id, Self.user) }
        try await eventually { drives.waitingCount == 1 }
        #expect(try await drives.entries(in: .top, of: Self.id, Self.other).map(\.name) == ["a"])
        #expect(try await drives.entry(at: try Self.path("a"), of: Self.id, Self.other).size == 10)
        for task in stuck + [waiting] {
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
        #expect(drives.waitingCount == 0)
        #expect(try await drives.entries(in: .top, of: Self.id, Self.user).count == 1)
    }

    @Test func anEndlessListingEnds() async throws {
        let store = try ScriptedStore()
        var limits = RunLimits()
        limits.maxAnswerBytes = 5 << 20
        let (drives, _) = try TestStore.drives(store.port, limits: limits)
        let folder = try Self.path("endless")
        #expect(await Self.problem { _ = try await drives.entries(in: folder, of: Self.id, Self.user) } == .tooMany)
    }

    /// The answer about a file has no bound of its own: the memory of a child has one.
    @Test func anEndlessAnswerAboutAFileEnds() async throws {
        let store = try ScriptedStore()
        var limits = RunLimits()
        limits.readingBytes = 256 << 20
        let (drives, _) = try TestStore.drives(store.port, limits: limits)
        let path = try Self.path("endless")
        let problem = await Self.problem {
            try await drives.read(path, from: 0, size: 9_000_000, of: Self.id, Self.user) { _ in }
        }
        #expect(problem == .server)
    }

    /// rclone's server finds no name with a line feed.
    @Test func namesMayHoldControls() async throws {
        let names = [
            "a\nb", "\n", "trail\n", "\r", "a\tb", "\u{1}", "\u{7F}", "\u{85}", "\u{2028}", "a\u{202E}b", " b ",
        ]
        let store = try ScriptedStore(Dictionary(uniqueKeysWithValues: names.map { ($0, 100) }))
        let (drives, _) = try TestStore.drives(store.port)
        #expect(try await Set(drives.entries(in: .top, of: Self.id, Self.user).map(\.name)) == Set(names))
        for name in names {
            let bytes = Mutex<[UInt8]>([])
            try await drives.read(try Self.path(name), from: 0, size: nil, of: Self.id, Self.user) { piece in
                bytes.withLock { $0 += piece }
            }
            let expected = (0..<100).map { Array(name.utf8)[$0 % name.utf8.count] }
            #expect(bytes.withLock { $0 } == expected, "\(name.debugDescription)")
        }
    }

    /// A store that never removes the part of a file does not keep the place of the write.
    @Test func aCancelledWriteDoesNotWaitForTheStore() async throws {
        let store = try ScriptedStore()
        var limits = RunLimits()
        (limits.cleanWait, limits.cleanSeconds) = (.zero, 2)
        let (drives, _) = try TestStore.drives(store.port, limits: limits)
        let path = try Self.path("f")
        let writing = Task {
            try await drives.write(path, size: 1_000_000, of: Self.id, Self.user) { room in room.count }
        }
        try await store.waitForHeld(1, "PUT")
        writing.cancel()
        await #expect(throws: CancellationError.self) { try await writing.value }
        try await store.waitForHeld(1, "DELETE")
        #expect(try await drives.entries(in: .top, of: Self.id, Self.user).isEmpty)
        // The child that asks for it does not wait for ever either.
        try await eventually { drives.runningCount == 0 }
    }
}
