import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Watched folders whose files or stores fail or change in the midst of it.
struct WatchFailureTests {
    /// A file that grows between the look and the read is not filed before it holds still again.
    @Test
    func whatChangesAfterTheLookIsNotFiled() async throws {
        let harness = try await WatchHarness(["in/a": "half"])
        try await harness.look()
        try await harness.begin()
        harness.put("a", "half and more", version: 2)
        try await harness.base.runner.runDue()
        #expect(try await harness.files().isEmpty)
        harness.put("a", "half and more, whole", version: 3)
        try await harness.look(3)
        #expect(try await harness.files() == ["a": "half and more, whole"])
        #expect(try await harness.watch().counts.filed == 1)
        try await harness.check()
    }

    /// A file that its owner deleted here and puts back into the folder is filed again, before it is moved.
    @Test
    func whatIsPutBackIsFiledAgain() async throws {
        let harness = try await WatchHarness(["in/a": "one"], WatchRules(.move))
        try await harness.look(3)
        #expect(harness.names == ["in/Filed/a"])
        try await harness.delete("a")
        harness.memory.state.withLock { $0.files["in/a"] = $0.files.removeValue(forKey: "in/Filed/a") }
        try await harness.begin()
        #expect(harness.names == ["in/a"])
        try await harness.base.runner.runDue()
        try await harness.look()
        #expect(try await harness.files() == ["a": "one"])
        #expect(harness.names == ["in/Filed/a"])
        try await harness.check()
    }

    /// A store that lists and cannot be read is asked less often; its files wait for it.
    @Test(arguments: [DriveProblem.server, .tooSlow, .login, .busy])
    func aStoreThatCannotBeReadRefusesNoFile(_ problem: DriveProblem) async throws {
        let harness = try await WatchHarness(["in/a": "one", "in/b": "two"], WatchRules(minutes: 1))
        harness.memory.state.withLock { $0.beforeRead = { _, _ in throw DriveError(problem) } }
        try await harness.look(6)
        let failing = try await harness.watch()
        #expect(failing.problem == problem && failing.counts.refused == 0 && failing.counts.waiting == 2)
        let (next, last) = (try #require(failing.nextLookAt), try #require(failing.lookedAt))
        #expect(next - last >= .seconds(16 * 60))
        harness.memory.state.withLock { $0.beforeRead = nil }
        try await harness.look()
        #expect(try await harness.files() == ["a": "one", "b": "two"])
        #expect(try await harness.watch().problem == nil)
    }

    /// A file that cannot be read while others can is refused after a while.
    @Test
    func aFileThatAloneCannotBeReadIsRefused() async throws {
        let harness = try await WatchHarness(["in/bad": "x"])
        harness.memory.state.withLock { state in
            state.beforeRead = { path, _ in if path == "in/bad" { throw DriveError(.server) } }
        }
        try await harness.look(4)
        #expect(try await harness.watch().counts.refused == 0)
        for number in 1...WatchedFile.maxAttempts {
            harness.put("good \(number)", "\(number)", hasChecksum: true)
            try await harness.look()
        }
        let refused = try await harness.store.drives.refusedFiles(of: harness.id, harness.ann)
        #expect(refused.map(\.name) == ["bad"] && refused.map(\.problem) == [.server])
        _ = harness.reads()
        try await harness.look(2)
        #expect(harness.reads().isEmpty)
        #expect(try await harness.watch().problem == nil)
    }

    /// A store that lists and does not let files be moved is asked less often, too.
    @Test
    func movesThatFailAreTriedLessOften() async throws {
        let harness = try await WatchHarness(["in/a": "one"], WatchRules(.move, minutes: 1))
        try await harness.look(2)
        harness.memory.state.withLock { state in state.afterMove = { _ in throw DriveError(.login) } }
        for _ in 0..<4 {
            try await harness.look()
            harness.memory.state.withLock { $0.files["in/a"] = $0.files.removeValue(forKey: "in/Filed/a") }
        }
        let failing = try await harness.watch()
        let (next, last) = (try #require(failing.nextLookAt), try #require(failing.lookedAt))
        #expect(failing.problem == .login && next - last == .seconds(8 * 60))
        harness.memory.state.withLock { $0.afterMove = nil }
        try await harness.look()
        #expect(harness.names == ["in/Filed/a"])
        #expect(try await harness.watch().problem == nil)
    }

    /// A folder that its owner pauses while its files are moved moves no other one.
    @Test
    func aPauseEndsTheMoves() async throws {
        let harness = try await WatchHarness(["in/a": "one", "in/b": "two"], WatchRules(.move))
        try await harness.look(2)
        harness.memory.state.withLock { state in
            state.afterMove = { [store = harness.store, id = harness.id, ann = harness.ann] _ in
                _ = try await store.drives.changeWatch(id, DriveWatchChange(isOn: false), of: ann)
            }
        }
        try await harness.look()
        #expect(harness.names == ["in/Filed/a", "in/b"])
        #expect(try await harness.watch().state == .paused)
    }

    /// Some stores tell another version of one file than in a list: a file that was cut is not read again for it.
    @Test
    func aVersionThatListsDoNotTellIsNoChange() async throws {
        let harness = try await WatchHarness(["in/a": "one, two"])
        harness.memory.state.withLock { state in
            state.tell = { $0.version = "another" }
            state.cuts["in/a"] = [3]
        }
        try await harness.look(2)
        #expect(try await harness.files() == ["a": "one, two"])
        _ = harness.reads()
        try await harness.look(3)
        #expect(harness.reads().isEmpty)
        #expect(try await harness.watch().counts.waiting == 0)
    }

    /// A file of which the store tells another time than in its list is not moved, and says so.
    @Test
    func whatDiffersFromTheListIsNotMoved() async throws {
        let harness = try await WatchHarness(["in/a": "one", "in/b": "two"], WatchRules(.move))
        harness.memory.state.withLock { state in state.tell = { if $0.name == "a" { $0.modifiedAt = 2_000 } } }
        try await harness.look(2 + WatchedFile.maxAttempts)
        #expect(harness.names == ["in/Filed/b", "in/a"])
        let refused = try await harness.store.drives.refusedFiles(of: harness.id, harness.ann)
        #expect(refused.map(\.name) == ["a"] && refused.map(\.problem) == [.changed])
    }

    // MARK: Names

    private static func entry(_ name: String, id: String?, version: String = "1") -> DriveEntry {
        DriveEntry(name: name, isFolder: false, size: 1, storeID: id, version: version)
    }

    private static func file(_ name: String, of known: [WatchedFile]) throws -> WatchedFile {
        try #require(known.first { $0.name == name })
    }

    /// A file that was refused for its name is tried under another one.
    @Test
    func whatIsRenamedIsTriedAgain() async throws {
        let harness = try await WatchHarness()
        let look = WatchLook(watch: try await harness.watch(), now: .now, maxFileBytes: .max)
        let entry = Self.entry("good", id: "7")
        for id in ["7", nil] {
            let refused = WatchedFile(
                name: "bad", storeID: id, seen: entry.contentMark, seenAt: .now, state: .refused, attempts: 1,
                problem: .name)
            let found = try look.findings([Self.entry("good", id: id)], [refused])
            let file = try Self.file("good", of: found.written)
            #expect(file.state == .waiting && file.problem == nil && file.attempts == 0)
            #expect(try look.findings([Self.entry("bad", id: id)], [refused]).written.isEmpty)
        }
    }

    /// One of two files of one name, if it was filed, is known again when one of them is renamed.
    @Test
    func aRepeatedNameForgetsNothing() async throws {
        let harness = try await WatchHarness()
        let look = WatchLook(watch: try await harness.watch(), now: .now, maxFileBytes: .max)
        let entry = Self.entry("a", id: "1")
        let filed = WatchedFile(
            name: "a", storeID: "1", seen: entry.contentMark, seenAt: .now, state: .done, filed: entry.contentMark,
            digest: .of([]))
        let repeated = try look.findings([entry, Self.entry("a", id: "2", version: "2")], [filed]).written
        #expect(repeated.map(\.state) == [.refused] && repeated.map(\.problem) == [.ambiguous])
        #expect(repeated.map(\.filed) == [filed.filed])
        for name in ["a", "b"] {
            let entries = [Self.entry(name, id: "1"), Self.entry(name == "a" ? "b" : "a", id: "2", version: "2")]
            let found = try look.findings(entries, repeated).written
            #expect(try Self.file(name, of: found).state == .done)
            #expect(try Self.file(name == "a" ? "b" : "a", of: found).state == .waiting)
        }
    }
}
