import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Transfers between a drive that fails in many ways and a real store.
struct TransferRunnerTests {
    @Test
    func aFolderArrivesWithAllThatIsInIt() async throws {
        let files = ["docs/a.txt": "one", "docs/b/c.txt": "two, longer", "docs/b/empty": "", "other": "x"]
        let harness = try await TransferHarness(files)
        harness.memory.state.withLock { $0.files["docs/a.txt"]?.toldDigest = .of(Array("one".utf8)) }
        let id = try await harness.pull("docs", "other")
        let ended = try await harness.run(id)
        #expect(ended.state == .done && ended.problem == nil)
        #expect(ended.progress == TransferProgress(files: 4, totalFiles: 4, bytes: 15, totalBytes: 15))
        #expect(try await harness.files() == files)
        let first = try #require(
            try await harness.store.library.items(along: ["F", "other"], of: harness.ann.id).last)
        guard case .file(let file) = first else { return #expect(Bool(false)) }
        #expect(file.modifiedAt == 1_000 && file.contentType == "text/plain")
        #expect(harness.runner.counts.files == [.pull: 4])
    }

    /// Files that cannot go are named, and the rest goes; the next attempt takes what is left alone.
    @Test
    func filesThatCannotGoAreNamed() async throws {
        let harness = try await TransferHarness(["d/a": "one", "d/b": "two", "d/c": "three"])
        harness.memory.state.withLock { state in
            state.files["d/b"]?.toldSize = 2
            state.files["d/c"]?.toldDigest = .of([1])
        }
        let id = try await harness.pull("d")
        let failed = try await harness.run(id)
        #expect(failed.state == .failed && failed.problem == .changed && failed.progress.failedFiles == 2)
        #expect(failed.detail?.hasPrefix("d/") == true && failed.progress.bytes == 3)
        #expect(try await harness.files() == ["d/a": "one"])
        harness.memory.state.withLock { state in
            state.files["d/b"]?.toldSize = nil
            state.files["d/c"]?.toldDigest = .of(Array("three".utf8))
            state.reads = []
        }
        try await harness.store.drives.retryTransfer(id, of: harness.ann.id)
        #expect(try await harness.run(id).state == .done)
        #expect(try await harness.files() == ["d/a": "one", "d/b": "two", "d/c": "three"])
        #expect(harness.memory.state.withLock { $0.reads.sorted() } == ["d/b 0", "d/c 0"])
    }

    @Test
    func aReadThatIsCutGoesOn() async throws {
        let text = "0123456789abcdef"
        let harness = try await TransferHarness(["f": text, "g": text])
        harness.memory.state.withLock { state in
            state.cuts = ["f": [5, 5, 9], "g": [7]]
            // The second file is another one when its reading goes on.
            state.successors["g"] = .init(bytes: Array("new".utf8), version: 2)
        }
        #expect(try await harness.run(try await harness.pull("f")).state == .done)
        #expect(harness.memory.state.withLock { $0.reads } == ["f 0", "f 5", "f 5", "f 9"])
        let ended = try await harness.run(try await harness.pull("g"))
        #expect(ended.state == .done && ended.progress.bytes == 3)
        #expect(harness.memory.state.withLock { $0.reads.suffix(2) } == ["g 0", "g 0"])
        #expect(try await harness.files() == ["f": text, "g": "new"])
    }

    @Test
    func aStoreThatAsksForAPauseGetsOne() async throws {
        let harness = try await TransferHarness(["d/a": "one", "d/b": "two"])
        harness.memory.state.withLock { $0.refusals = 3 }
        let id = try await harness.pull("d")
        #expect(try await harness.run(id).state == .done)
        #expect(try await harness.files() == ["d/a": "one", "d/b": "two"])
        // A login that is refused waits for a person.
        harness.memory.state.withLock { $0.beforeRead = { _, _ in throw DriveError(.login, "401") } }
        let other = try await harness.pull("d")
        let failed = try await harness.run(other)
        #expect(failed.state == .failed && failed.problem == .login && failed.detail == "401")
    }

    @Test
    func aCancelledTransferEndsAtOnce() async throws {
        let harness = try await TransferHarness(["a": "one"])
        let begun = Signal()
        harness.memory.state.withLock { state in
            state.beforeRead = { _, _ in
                begun.raise()
                _ = try await Signal().count(after: 0)
            }
        }
        let running = Task { await harness.runner.run() }
        let id = try await harness.pull("a")
        _ = try await begun.count(after: 0)
        let commits = harness.store.library.commits
        try await harness.store.drives.cancelTransfer(id, of: harness.ann.id)
        while true {
            let known = commits.count
            if try await harness.store.drives.transfer(id, of: harness.ann.id).state.isEnded { break }
            _ = try await commits.count(after: known)
        }
        #expect(try await harness.store.drives.transfer(id, of: harness.ann.id).state == .cancelled)
        #expect(try await harness.files().isEmpty)
        running.cancel()
        await running.value
        // Nothing waits for its end: another process may carry transfers out.
        #expect(try await harness.store.drives.transferLease() != nil)
    }

    @Test
    func aPushReplacesNothingOfOthers() async throws {
        let harness = try await TransferHarness(["to/x.txt": "another's", "to/same": "same"])
        harness.memory.state.withLock { $0.files["to/same"]?.toldDigest = .of(Array("same".utf8)) }
        let folder = try await harness.store.library.addFolder("sub", in: harness.place, of: harness.ann.id)
        let inner = LibraryPlace(fund: harness.fund.id, folder: folder.id)
        let items: [LibraryItemID] = [
            .file(try await harness.add("mine, mine", "x.txt").id), .file(try await harness.add("same", "same").id),
            .folder(folder.id),
        ]
        _ = try await harness.add("deep", "y", in: inner)
        _ = try await harness.add("", "empty", in: inner)
        let target = try #require(DrivePath("to"))
        // The bridge breaks after the file stands in the drive, before it is noted.
        let isBroken = Atomic<Bool>(true)
        harness.memory.state.withLock { state in
            state.afterWrite = { path in
                guard path == "to/sub/y", isBroken.exchange(false, ordering: .relaxed) else { return }
                throw DriveError(.broken)
            }
        }
        let id = try await harness.begin(.push(items, into: target))
        let ended = try await harness.run(id)
        #expect(ended.state == .done && ended.progress.files == 4 && ended.progress.totalFiles == 4)
        #expect(harness.memory.text("to/x.txt") == "another's" && harness.memory.text("to/x(1).txt") == "mine, mine")
        #expect(harness.memory.text("to/sub/y") == "deep" && harness.memory.text("to/sub/empty") == "")
        #expect(
            harness.memory.state.withLock { $0.writes.sorted() } == ["to/sub/empty", "to/sub/y", "to/x(1).txt"])
        // Again, by another transfer: what has the same name is another's, unless it is known to be the same.
        let second = try await harness.begin(.push([items[1], items[2]], into: target))
        #expect(try await harness.run(second).state == .done)
        #expect(harness.memory.text("to/sub/y(1)") == "deep" && harness.memory.text("to/same(1)") == nil)
    }

    /// Something of the same size may be put under a name after the folder was listed.
    @Test
    func aPushReplacesNothingThatCameMeanwhile() async throws {
        let harness = try await TransferHarness(["to/other": "1"])
        let file = try await harness.add("mine", "x.txt")
        let memory = harness.memory
        harness.memory.state.withLock { state in
            state.beforeWrite = { path in
                guard path == "to/x.txt" else { return }
                memory.state.withLock { $0.files[path] = .init(bytes: Array("them".utf8)) }
            }
        }
        let target = try #require(DrivePath("to"))
        let ended = try await harness.run(try await harness.begin(.push([.file(file.id)], into: target)))
        #expect(ended.state == .done && ended.progress.bytes == 4)
        #expect(memory.text("to/x.txt") == "them" && memory.text("to/x(1).txt") == "mine")
        #expect(memory.state.withLock { $0.writes } == ["to/x(1).txt"])
    }

    /// The second file is tried when the first one stands under the name of both and is noted.
    @Test
    func filesOfOneNameAllArrive() async throws {
        let harness = try await TransferHarness()
        let other = try await harness.store.library.addFund("G", of: harness.ann.id)
        let files = [
            try await harness.add("first", "a.txt"),
            try await harness.add("other", "a.txt", in: LibraryPlace(fund: other.id)),
        ]
        let isBroken = Atomic<Bool>(true)
        harness.memory.state.withLock { state in
            state.beforeWrite = { path in
                guard path == "to/a(1).txt", isBroken.exchange(false, ordering: .relaxed) else { return }
                throw DriveError(.server)
            }
        }
        let target = try #require(DrivePath("to"))
        let id = try await harness.begin(.push(files.map { .file($0.id) }, into: target))
        let ended = try await harness.run(id)
        let hasFailed = !isBroken.load(ordering: .relaxed)
        #expect(hasFailed && ended.state == .done)
        #expect(ended.progress == TransferProgress(files: 2, totalFiles: 2, bytes: 10, totalBytes: 10))
        #expect(harness.memory.text("to/a.txt") == "first" && harness.memory.text("to/a(1).txt") == "other")
        #expect(harness.memory.state.withLock { $0.writes } == ["to/a.txt", "to/a(1).txt"])
    }

    @Test
    func whatIsHeldBackIsNotPushed() async throws {
        let harness = try await TransferHarness()
        let file = try await harness.add("not scanned", "x")
        harness.store.holdUnscanned()
        let id = try await harness.begin(.push([.file(file.id)], into: .top))
        let failed = try await harness.run(id)
        #expect(failed.state == .failed && failed.problem == .heldBack && failed.detail?.hasPrefix("x: ") == true)
        #expect(harness.memory.state.withLock { $0.writes.isEmpty })
        // A place that is gone ends a pull.
        harness.memory.state.withLock { $0.files["a"] = .init(bytes: [1]) }
        let pull = try await harness.pull("a")
        try await harness.store.library.delete(.fund(harness.fund.id), if: nil, of: harness.ann.id)
        let gone = try await harness.run(pull)
        #expect(gone.state == .failed && gone.problem == .placeGone)
    }
}
