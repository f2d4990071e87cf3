import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Moves and marks of filed files in stores that are slow, or do something else.
struct WatchPutAwayTests {
    /// A file that takes the place of a filed one just before that is moved comes back, and is filed.
    @Test(arguments: [DriveWatch.Disposition.move, .mark])
    func aFileThatIsMovedInsteadIsFiled(_ disposition: DriveWatch.Disposition) async throws {
        let harness = try await WatchHarness(["in/a": "one"], WatchRules(disposition))
        try await harness.look(2)
        harness.memory.state.withLock { state in
            state.beforeMove = { state, path in
                state.files[path] = MemoryDrive.File(bytes: Array("longer".utf8), version: 2)
                state.beforeMove = nil
            }
        }
        try await harness.look()
        #expect(harness.names == ["in/a"])
        try await harness.look(4)
        #expect(try await harness.files() == ["a": "one", "a(1)": "longer"])
        #expect(harness.names == [disposition == .move ? "in/Filed/a" : "in/a (filed)"])
        #expect(try await harness.watch().counts.refused == 0)
        try await harness.check()
    }

    /// A marked file of another time may be another one of the same size: its bytes tell.
    @Test
    func aMarkedFileOfAnotherTimeIsReadAgain() async throws {
        let harness = try await WatchHarness(["in/a": "one"], WatchRules(.mark))
        try await harness.look(2)
        harness.memory.state.withLock { state in
            state.beforeMove = { state, path in
                state.files[path] = MemoryDrive.File(bytes: Array("two".utf8), version: 2, modifiedAt: 2_000)
                state.beforeMove = nil
            }
        }
        try await harness.look(4)
        #expect(try await harness.files() == ["a": "one", "a (filed)": "two"])
        #expect(harness.names == ["in/a (filed)"])
        #expect(try await harness.watch().counts == WatchCounts(filed: 2))
    }

    @Test(arguments: [DriveWatch.Disposition.move, .mark])
    func aMoveThatDoesNothingIsShown(_ disposition: DriveWatch.Disposition) async throws {
        let harness = try await WatchHarness(["in/a": "one"], WatchRules(disposition))
        harness.memory.state.withLock { $0.ignoresMoves = true }
        try await harness.look(2 + WatchedFile.maxAttempts)
        let refused = try await harness.store.drives.refusedFiles(of: harness.id, harness.ann)
        #expect(refused.map(\.name) == ["a"] && refused.map(\.problem) == [.server])
        #expect(try await harness.files() == ["a": "one"])
    }

    /// A store that takes long for each move keeps no other folder waiting.
    @Test
    func movesEndAfterATime() async throws {
        let harness = try await WatchHarness(
            ["in/a": "one", "in/b": "two", "in/c": "three"], WatchRules(.move, minutes: 1440))
        try await harness.look(2)
        let begun = ContinuousClock.now
        let calls = Atomic<Int>(0)
        let slow = WatchRunner(
            harness.store.drives, harness.memory, limits: TransferLimits(maxFileBytes: .max),
            commits: harness.store.library.commits,
            now: {
                let count = calls.add(1, ordering: .relaxed).newValue
                return begun + WatchPutAway.maxTime * count * 2 / 3
            })
        try harness.makeDue()
        try await slow.lookDue()
        #expect(harness.names == ["in/Filed/a", "in/b", "in/c"])
        let watch = try await harness.watch()
        let (next, last) = (try #require(watch.nextLookAt), try #require(watch.lookedAt))
        #expect(next - last == .seconds(60) && watch.problem == nil)
    }

    @Test
    func aFileInPlaceOfTheFolderIsNamed() async throws {
        let harness = try await WatchHarness(["in/Filed": "one", "in/a": "two"], WatchRules(.move))
        try await harness.look(3)
        let watch = try await harness.watch()
        #expect(watch.problem == .alreadyExists && watch.detail?.contains("Filed") == true)
        #expect(try await harness.files() == ["Filed": "one", "a": "two"])
        #expect(harness.names == ["in/Filed", "in/a"])
    }

    /// A new place takes also the files that are on their way.
    @Test
    func aNewPlaceHoldsForWhatIsOnItsWay() async throws {
        let harness = try await WatchHarness(["in/a": "one"])
        try await harness.look()
        try await harness.begin()
        let other = LibraryPlace(fund: try await harness.store.library.addFund("G", of: harness.ann).id)
        let change = DriveWatchChange(place: other)
        _ = try await harness.store.drives.changeWatch(harness.id, change, of: harness.ann)
        try await harness.base.runner.runDue()
        #expect(try await harness.files().isEmpty)
        #expect(try await harness.base.files(in: other) == ["a": "one"])
    }

    /// Names are told apart by their bytes, as stores do.
    @Test
    func equivalentNamesAreDifferentFiles() async throws {
        let (composed, decomposed) = ("\u{E9}.txt", "e\u{301}.txt")
        let harness = try await WatchHarness()
        harness.put(decomposed, "one")
        try await harness.look(2)
        harness.rename(decomposed, to: composed)
        try await harness.look(3)
        #expect(try await harness.files().values.sorted() == ["one"])
        let rows = try await harness.store.drives.watchedFiles(of: harness.id)
        #expect(rows.map { Array($0.name.utf8) } == [Array(composed.utf8)])
        harness.memory.state.withLock { $0.files = [:] }
        harness.put(decomposed, "other", version: 2)
        try await harness.look(3)
        #expect(try await harness.files().values.sorted() == ["one", "other"])
        #expect(try await harness.watch().counts == WatchCounts(filed: 2))
    }
}
