import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Watched folders between a store in memory and a real one.
struct WatchRunnerTests {
    @Test
    func whatAppearsIsFiledAndMoved() async throws {
        let files = [
            "in/a.txt": "one", "in/sub/deep": "x", "in/.hidden": "x", "in/b.part": "x", "in/Filed/a.txt": "old",
        ]
        let harness = try await WatchHarness(files, WatchRules(.move))
        try await harness.look()
        // It has to hold still first.
        #expect(try await harness.files().isEmpty)
        let first = try await harness.watch()
        #expect(first.counts == WatchCounts(waiting: 1, folders: 2) && first.lookedAt != nil && first.problem == nil)
        harness.put("a.txt", "one, longer", version: 2)
        try await harness.look()
        #expect(try await harness.files().isEmpty)
        try await harness.look()
        #expect(try await harness.files() == ["a.txt": "one, longer"])
        #expect(try await harness.watch().counts.filed == 1)
        #expect(harness.memory.text("in/a.txt") == "one, longer")
        // Nothing stands in the way of the next look, which moves it beside one of its name.
        try await harness.runner.lookDue()
        #expect(harness.names == ["in/.hidden", "in/Filed/a(1).txt", "in/Filed/a.txt", "in/b.part", "in/sub/deep"])
        #expect(harness.memory.text("in/Filed/a.txt") == "old")
        _ = harness.reads()
        try await harness.look(3)
        #expect(harness.reads().isEmpty)
        // Another file of the name is another file, and what is moved back is not.
        harness.put("a.txt", "two", version: 7, hasChecksum: true)
        try await harness.look()
        #expect(try await harness.files() == ["a.txt": "one, longer", "a(1).txt": "two"])
        try await harness.look()
        #expect(harness.memory.text("in/Filed/a(2).txt") == "two")
        harness.memory.state.withLock { $0.files["in/a.txt"] = $0.files.removeValue(forKey: "in/Filed/a(2).txt") }
        try await harness.look(3)
        #expect(try await harness.files().count == 2 && harness.names.contains("in/Filed/a(2).txt"))
        try await harness.check()
    }

    /// A file that is left is filed once for each of its contents, whatever the store does to names and ids.
    @Test(arguments: [false, true])
    func eachContentIsFiledOnce(_ hasIDs: Bool) async throws {
        let harness = try await WatchHarness()
        func id(_ number: Int) -> String? { hasIDs ? "id\(number)" : nil }
        harness.put("a.txt", "one", version: 1, id: id(1))
        harness.put("b.txt", "two", version: 2, id: id(2))
        try await harness.look(2)
        var filed = ["a.txt": "one", "b.txt": "two"]
        #expect(try await harness.files() == filed)
        // Renamed; touched; back in time; gone for a while; with other ids.
        harness.rename("a.txt", to: "c.txt")
        try await harness.look(3)
        harness.put("b.txt", "two", version: 3, id: id(2))
        harness.clock.time.withLock { $0 = $0 - .seconds(86_400) }
        try await harness.look(3)
        let kept = harness.memory.state.withLock { state in
            defer { state.files = [:] }
            return state.files
        }
        try await harness.look(2)
        harness.memory.state.withLock {
            $0.files = kept.mapValues { file in
                var file = file
                file.storeID = hasIDs ? "new \(file.bytes.count) \(file.version)" : nil
                return file
            }
        }
        try await harness.look(3)
        #expect(try await harness.files() == filed)
        // Two exchange their names.
        harness.rename("b.txt", to: "x")
        harness.rename("c.txt", to: "b.txt")
        harness.rename("x", to: "c.txt")
        try await harness.look(3)
        #expect(try await harness.files() == filed)
        // A changed file is one more, as each file of a taken name.
        harness.put("c.txt", "changed", version: 9, id: id(3))
        try await harness.look(3)
        filed["c.txt"] = "changed"
        #expect(try await harness.files() == filed)
        harness.put("c.txt", "changed again", version: 10, id: id(3))
        try await harness.look(3)
        filed["c(1).txt"] = "changed again"
        #expect(try await harness.files() == filed)
        // A file that was deleted here does not come back before the store has something new.
        for item in try await harness.store.library.children(of: harness.base.place, of: harness.ann) {
            if case .file(let file) = item, file.name == "c(1).txt" {
                try await harness.store.library.delete(.file(file.id), if: nil, of: harness.ann)
            }
        }
        try await harness.look(2)
        #expect(try await harness.files().count == 3)
        // Another watch of the folder finds what is here under the same names, and files what is not.
        try await harness.store.drives.removeWatch(harness.id, of: harness.ann)
        _ = try await harness.store.drives.addWatch(
            NewDriveWatch(
                drive: harness.base.drive.id, path: try #require(DrivePath("in")), place: harness.base.place),
            of: harness.ann)
        try await harness.look(3)
        filed["b(1).txt"] = "one"
        #expect(try await harness.files() == filed)
        try await harness.check()
    }

    @Test
    func filedFilesAreMarked() async throws {
        let harness = try await WatchHarness(["in/a.txt": "one", "in/old (filed).txt": "x"], WatchRules(.mark))
        let isBroken = Atomic<Bool>(true)
        harness.memory.state.withLock { state in
            // The process ends between the move and its note; the store takes the time of the move for that of the
            // file.
            state.movesAnew = true
            state.afterMove = { _ in
                if isBroken.exchange(false, ordering: .relaxed) { throw DriveError(.unreachable) }
            }
        }
        try await harness.look(2)
        harness.put("a (filed).txt", "in the way")
        try await harness.look()
        #expect(harness.names == ["in/a (filed)(1).txt", "in/a (filed).txt", "in/old (filed).txt"])
        #expect(try await harness.watch().problem == .unreachable)
        try await harness.look(4)
        #expect(try await harness.files() == ["a.txt": "one"])
        // One without a mark is another file, also of the same name.
        harness.put("a.txt", "two")
        try await harness.look(4)
        #expect(try await harness.files() == ["a.txt": "one", "a(1).txt": "two"])
        #expect(harness.names.contains("in/a (filed)(2).txt") && !harness.names.contains("in/a.txt"))
        let marked = harness.names
        try await harness.look(3)
        #expect(harness.names == marked)
        try await harness.check()
    }

    /// A file that cannot be filed is named and left, until it changes or its owner wants it tried again.
    @Test
    func whatCannotBeFiledIsNotTriedForEver() async throws {
        let harness = try await WatchHarness(["in/good": "x"], WatchRules(.move), maxFileBytes: 10)
        harness.put("large", "more than ten bytes")
        harness.put("liar", "x")
        harness.memory.state.withLock { $0.files["in/liar"]?.toldSize = 5 }
        try await harness.look(20)
        let watch = try await harness.watch()
        #expect(watch.counts.refused == 2 && watch.counts.filed == 1 && watch.counts.waiting == 0 && watch.state == .on)
        let refused = try await harness.store.drives.refusedFiles(of: harness.id, harness.ann)
        #expect(refused.map(\.name) == ["large", "liar"] && refused.map(\.problem) == [.tooLarge, .changed])
        let reads = harness.reads().filter { $0 == "in/liar 0" }.count
        #expect((1...WatchedFile.maxAttempts * 4).contains(reads))
        try await harness.look(5)
        #expect(harness.reads().isEmpty)
        harness.memory.state.withLock { $0.files["in/liar"]?.toldSize = nil }
        try await harness.look(3)
        #expect(try await harness.files() == ["good": "x", "liar": "x"])
        _ = try await harness.store.drives.changeWatch(harness.id, DriveWatchChange(isOn: true), of: harness.ann)
        try await harness.look(2)
        #expect(try await harness.watch().counts.refused == 1)
        // A folder that takes the place of a file is no file.
        harness.put("late", "y")
        try await harness.look()
        harness.memory.state.withLock { state in
            state.files["in/late/inner"] = state.files.removeValue(forKey: "in/late")
        }
        try await harness.look(2)
        #expect(try await harness.files() == ["good": "x", "liar": "x"])
        try await harness.check()
    }

    @Test
    func aStoreThatFailsIsAskedLessOften() async throws {
        let harness = try await WatchHarness(["in/a": "one"], WatchRules(minutes: 1))
        harness.memory.state.withLock { $0.listingProblem = .login }
        try await harness.look(3)
        let failed = try await harness.watch()
        #expect(failed.problem == .login && failed.state == .on && failed.isFailing)
        let (next, last) = (try #require(failed.nextLookAt), try #require(failed.lookedAt))
        #expect(next - last == .seconds(240))
        #expect(harness.runner.totals == WatchTotals(looks: 3, failedLooks: 3))
        #expect(WatchPace.pause(failures: 1) == .seconds(60) && WatchPace.pause(failures: 99) == .seconds(3600))
        harness.memory.state.withLock { $0.listingProblem = nil }
        try await harness.look(2)
        #expect(try await harness.files() == ["a": "one"])
        #expect(try await harness.watch().problem == nil)
    }

    /// A watched folder whose fund is gone stops, wherever it notices it, and nothing is moved.
    @Test(arguments: [false, true])
    func aFundThatIsGoneStopsIt(_ isOnItsWay: Bool) async throws {
        let harness = try await WatchHarness(["in/a": "one"], WatchRules(.move))
        try await harness.look()
        let fund = harness.base.fund.id
        if isOnItsWay {
            harness.memory.state.withLock { state in
                state.beforeRead = { [store = harness.store, ann = harness.ann] _, _ in
                    try await store.library.delete(.fund(fund), if: nil, of: ann)
                }
            }
        } else {
            try await harness.store.library.delete(.fund(fund), if: nil, of: harness.ann)
        }
        try await harness.look(2)
        let watch = try await harness.watch()
        #expect(watch.state == .stopped && watch.problem == .placeGone && watch.nextLookAt == nil)
        #expect(harness.names == ["in/a"])
        let audit = try await harness.store.administration.audit(AuditFilter(), PageQuery()).items
        #expect(audit.contains { $0.action == "drive.watch.stop" && $0.actor == "fundmail" && $0.subject == "D" })
        await #expect(throws: StoreError.self) {
            try await harness.store.drives.changeWatch(harness.id, DriveWatchChange(isOn: true), of: harness.ann)
        }
        let other = try await harness.store.library.addFund("G", of: harness.ann)
        let change = DriveWatchChange(place: LibraryPlace(fund: other.id), isOn: true)
        harness.memory.state.withLock { $0.beforeRead = nil }
        #expect(try await harness.store.drives.changeWatch(harness.id, change, of: harness.ann).state == .on)
        try await harness.look(3)
        #expect(harness.names == ["in/Filed/a"])
        #expect(try await harness.base.files(in: LibraryPlace(fund: other.id)) == ["a": "one"])
    }

    /// A transfer that its owner cancels is not begun again by itself.
    @Test
    func aCancelledTransferPausesTheFolder() async throws {
        let harness = try await WatchHarness(["in/a": "one"])
        try await harness.look()
        try harness.makeDue()
        harness.clock.time.withLock { $0 = $0 + .seconds(60) }
        try await harness.runner.lookDue()
        let transfer = try #require(try await harness.store.drives.transfers(of: harness.ann, PageQuery()).items.first)
        #expect(transfer.watch == harness.id && transfer.state == .queued)
        // While it is on its way, the folder is not looked at.
        try harness.makeDue()
        #expect(try await harness.runner.lookDue() == 0)
        try await harness.store.drives.cancelTransfer(transfer.id, of: harness.ann)
        try await harness.look(2)
        #expect(try await harness.watch().state == .paused)
        #expect(try await harness.files().isEmpty)
        _ = try await harness.store.drives.changeWatch(harness.id, DriveWatchChange(isOn: true), of: harness.ann)
        try await harness.look()
        #expect(try await harness.files() == ["a": "one"])
        try await harness.check()
    }
}
