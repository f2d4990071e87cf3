import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundStore
@testable import Ingest

/// A watched folder `in` of a drive in memory, and a clock that tests move.
final class WatchHarness: Sendable {
    /// A clock in whole seconds.
    final class Clock: Sendable {
        let time = Mutex(Timestamp.now)
    }

    let base: TransferHarness
    let id: DriveWatch.ID
    let runner: WatchRunner
    let clock = Clock()

    var memory: MemoryDrive { base.memory }
    var store: FundStore { base.store }
    var ann: User.ID { base.ann.id }

    init(_ files: [String: String] = [:], _ rules: WatchRules = WatchRules(), maxFileBytes: Int64 = .max) async throws {
        let limits = TransferLimits(maxFileBytes: maxFileBytes)
        base = try await TransferHarness(files, limits: limits)
        base.memory.state.withLock { _ = $0.folders.insert("in") }
        let new = NewDriveWatch(
            drive: base.drive.id, path: try #require(DrivePath("in")), place: base.place, rules: rules)
        id = try await base.store.drives.addWatch(new, of: base.ann.id).id
        runner = WatchRunner(
            base.store.drives, base.memory, limits: limits, commits: base.store.library.commits,
            clock: { [clock] in clock.time.withLock { $0 } })
    }

    /// Puts a file into the folder, of another content than what stands there.
    func put(_ name: String, _ text: String, version: Int = 1, id: String? = nil, hasChecksum: Bool = false) {
        memory.state.withLock { state in
            state.files["in/\(name)"] = MemoryDrive.File(
                bytes: Array(text.utf8), version: version, storeID: id, hasChecksum: hasChecksum)
        }
    }

    func rename(_ name: String, to other: String) {
        memory.state.withLock { state in state.files["in/\(other)"] = state.files.removeValue(forKey: "in/\(name)") }
    }

    /// Looks a minute later than before, whatever the store has planned, and carries out what comes of it.
    func look(_ times: Int = 1) async throws {
        for _ in 0..<times {
            try makeDue()
            clock.time.withLock { $0 = $0 + .seconds(60) }
            try await runner.lookDue()
            try await base.runner.runDue()
        }
    }

    /// Looks a minute later, and leaves the transfer that comes of it.
    func begin() async throws {
        try makeDue()
        clock.time.withLock { $0 = $0 + .seconds(60) }
        try await runner.lookDue()
    }

    /// Removes a file from the fund.
    func delete(_ name: String) async throws {
        for case .file(let file) in try await store.library.children(of: base.place, of: ann) where file.name == name {
            try await store.library.delete(.file(file.id), if: nil, of: ann)
        }
    }

    func makeDue() throws {
        try store.connection.write("make a watch due") { try $0.execute("UPDATE drive_watch SET due_at = 1", []) }
    }

    func watch() async throws -> DriveWatch { try await store.drives.watch(id, of: ann) }

    func files() async throws -> [String: String] { try await base.files() }

    /// Names in the store.
    var names: [String] { memory.state.withLock { $0.files.keys.sorted() } }

    /// Reads since the last call.
    func reads() -> [String] {
        memory.state.withLock { state in
            defer { state.reads = [] }
            return state.reads.sorted()
        }
    }

    func check() async throws { #expect(try await store.maintenance.verify().findings.isEmpty) }
}
