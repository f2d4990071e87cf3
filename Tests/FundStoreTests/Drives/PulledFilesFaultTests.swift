import FundCore
internal import Glibc
import Synchronization
import TestSupport
import Testing

@testable import FundStore

/// Files of drives that are stored together, where that fails.
struct PulledFilesFaultTests {
    /// Holds up the first barrier, so that files which come meanwhile share the next one.
    private final class HeldBarrier: Sendable {
        private let reached = Flag()
        private let gate = Gate()

        var isReached: Bool { reached.isRaised }

        var faults: FaultInjection {
            FaultInjection { [reached, gate] point in
                if point == .beforeBarrier, reached.raise() { gate.wait() }
            }
        }

        func open() { gate.open() }
    }

    private static let names = ["a", "b", "bad", "c", "d"]

    private static func add(_ name: String, to id: DriveTransfer.ID, of harness: DriveHarness) async throws
        -> FileEntry?
    {
        try await harness.drives.addPulled(
            try harness.upload("text of \(name)"), from: try harness.path("docs/\(name)"), version: "v", named: name,
            in: [], modifiedAt: nil, of: id)
    }

    /// The outcomes of files that share a transaction, by name.
    private static func addTogether(
        _ id: DriveTransfer.ID, _ barrier: HeldBarrier, of harness: DriveHarness, whileHeld: () -> Void = {}
    ) async throws -> [String: Result<FileEntry?, any Error>] {
        var outcomes: [String: Result<FileEntry?, any Error>] = [:]
        let first = Task { try await add("first", to: id, of: harness) }
        try await eventually { barrier.isReached }
        let tasks = names.map { name in (name, Task { try await add(name, to: id, of: harness) }) }
        try await eventually { harness.drives.pulled.waitingCount == names.count }
        whileHeld()
        barrier.open()
        for (name, task) in tasks + [("first", first)] { outcomes[name] = await task.result }
        return outcomes
    }

    private static func contents(of harness: DriveHarness) async throws -> [String: String] {
        var texts: [String: String] = [:]
        for case .file(let file) in try await harness.base.store.library.children(of: harness.place, of: harness.ann) {
            var bytes: [UInt8] = []
            try harness.base.store.library.content(of: file.digest, size: file.size).read(0..<file.size) { bytes += $0 }
            texts[file.name] = String(decoding: bytes, as: UTF8.self)
        }
        return texts
    }

    private static func texts(_ names: [String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, "text of \($0)") })
    }

    /// A row that cannot be written fails the transaction. The other files of it are stored by transactions of their
    /// own, with the bytes that were appended for the first one.
    @Test
    func oneFileFailsTheTransaction() async throws {
        let barrier = HeldBarrier()
        let harness = try await DriveHarness(faults: barrier.faults)
        let connection = harness.base.store.connection
        let id = try await harness.pull().id
        _ = try #require(try await harness.drives.nextTransfer(besides: []))
        try connection.write("refuse a row") {
            try $0.run(
                script: """
                    CREATE TRIGGER refusal BEFORE INSERT ON drive_transfer_file WHEN NEW.path = 'docs/bad'
                    BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """)
        }
        let others = ["first", "a", "b", "c", "d"]
        let outcomes = try await Self.addTogether(id, barrier, of: harness)
        for name in others { #expect(try outcomes[name]?.get()?.name == name) }
        #expect(throws: StoreError.self) { try outcomes["bad"]?.get() }
        #expect(try await Self.contents(of: harness) == Self.texts(others))
        #expect(try harness.base.count("drive_transfer_file") == others.count)
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
        // It comes again, and the store takes it.
        try connection.write("allow it") { try $0.run(script: "DROP TRIGGER refusal") }
        #expect(try await Self.add("bad", to: id, of: harness)?.name == "bad")
        #expect(try await Self.contents(of: harness) == Self.texts(others + ["bad"]))
        try harness.base.reopen()
        #expect(try await Self.contents(of: harness) == Self.texts(others + ["bad"]))
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    /// A disk that fails at the barrier may have lost what was appended: none of the files gets a row.
    @Test
    func theDiskFailsAtTheBarrier() async throws {
        let barrier = HeldBarrier()
        let isBroken = Mutex(false)
        let harness = try await DriveHarness(faults: barrier.faults) { descriptor in
            isBroken.withLock { $0 } ? EIO : StoreLog.syncFile(descriptor)
        }
        let id = try await harness.pull().id
        _ = try #require(try await harness.drives.nextTransfer(besides: []))
        let outcomes = try await Self.addTogether(id, barrier, of: harness) { isBroken.withLock { $0 = true } }
        for outcome in outcomes.values { #expect(throws: StoreError.self) { try outcome.get() } }
        #expect(try harness.base.count("drive_transfer_file") == 0)
        isBroken.withLock { $0 = false }
        for name in Self.names { #expect(try await Self.add(name, to: id, of: harness)?.name == name) }
        #expect(try await Self.contents(of: harness) == Self.texts(Self.names))
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }
}
