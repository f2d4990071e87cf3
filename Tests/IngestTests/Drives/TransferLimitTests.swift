import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Pulls from stores that send more than a transfer may bring.
struct TransferLimitTests {
    @Test
    func filesThatAreTooLargeStayAway() async throws {
        let harness = try await TransferHarness(
            ["d/fits": "12345", "d/told": "123456", "d/hidden": "12345", "d/endless": "1234567890123"],
            limits: TransferLimits(maxFileBytes: 5))
        harness.memory.state.withLock { state in
            state.files["d/hidden"]?.hidesSize = true
            state.files["d/endless"]?.hidesSize = true
        }
        let ended = try await harness.run(try await harness.pull("d"))
        #expect(ended.state == .failed && ended.problem == .tooLarge)
        #expect(ended.progress.files == 2 && ended.progress.failedFiles == 2 && ended.progress.bytes == 10)
        #expect(try await harness.files() == ["d/fits": "12345", "d/hidden": "12345"])
        // A file whose size is told is not begun, and no other one is read again.
        let reads = harness.memory.state.withLock { $0.reads.sorted() }
        #expect(reads == ["d/endless 0", "d/fits 0", "d/hidden 0"])
    }

    /// A file that is cut each time, while its store tells of it, is no reason to leave the others.
    @Test
    func oneFileThatIsCutHoldsUpNone() async throws {
        let harness = try await TransferHarness(["d/a": "1", "d/b": "2", "d/c": "3"])
        harness.memory.state.withLock { state in
            state.beforeRead = { path, _ in if path == "d/a" { throw DriveError(.unreachable) } }
        }
        let left = try await harness.run(try await harness.pull("d"))
        #expect(left.problem == .server && left.progress.files == 2)
        #expect(try await harness.files() == ["d/b": "2", "d/c": "3"])
    }

    /// The sum of what a store says of its files may be no number.
    @Test(arguments: [Int64.max, Int64.max / 2 + 1])
    func sizesMayBeBeyondEveryNumber(size: Int64) async throws {
        let harness = try await TransferHarness(
            ["d/a": "1", "d/b": "2", "d/c": "3", "d/d": "4"], limits: TransferLimits(maxFileBytes: 5))
        harness.memory.state.withLock { state in
            for name in ["a", "b", "c"] { state.files["d/\(name)"]?.toldSize = size }
        }
        let ended = try await harness.run(try await harness.pull("d"))
        #expect(ended.state == .failed && ended.problem == .tooLarge && ended.progress.failedFiles == 3)
        #expect(ended.progress.totalBytes == .max && ended.progress.bytes == 1)
        #expect(try await harness.files() == ["d/d": "4"])
    }

    /// Files and folders count alike, over all folders of the transfer.
    @Test
    func entriesAreBounded() async throws {
        var limits = TransferLimits(maxFileBytes: .max)
        limits.maxEntries = 4
        let files = ["a/x": "1", "a/b/y": "2", "c/z": "3"]
        let harness = try await TransferHarness(files, limits: limits)
        #expect(try await harness.run(try await harness.pull("a", "c")).state == .done)
        #expect(try await harness.files() == files)
        harness.memory.state.withLock { $0.files["a/b/more"] = .init(bytes: [1]) }
        let ended = try await harness.run(try await harness.pull("a", "c"))
        #expect(ended.state == .failed && ended.problem == .tooMany)
        // A push counts alike.
        let folder = try await harness.store.library.addFolder("p", in: harness.place, of: harness.ann.id)
        for number in 0..<4 {
            _ = try await harness.add(
                "\(number)", "\(number)", in: LibraryPlace(fund: harness.fund.id, folder: folder.id))
        }
        let push = try await harness.run(try await harness.begin(.push([.folder(folder.id)], into: .top)))
        #expect(push.state == .failed && push.problem == .tooMany)
    }

    /// Empty folders arrive, and folders that cannot be listed do not come as empty ones.
    @Test
    func emptyFoldersArrive() async throws {
        let harness = try await TransferHarness(["d/x/f": "1"])
        harness.memory.state.withLock { state in
            state.folders = ["d/empty", "d/x/none"]
            state.unlisted = ["d/closed"]
        }
        let ended = try await harness.run(try await harness.pull("d"))
        #expect(ended.state == .failed && ended.problem == .refused && ended.progress.failedFiles == 1)
        for (path, isThere) in [("d/empty", true), ("d/x/none", true), ("d/closed", false)] {
            let items = try? await harness.store.library.items(
                along: ["F"] + path.split(separator: "/").map(String.init), of: harness.ann.id)
            #expect((items?.count ?? 0 == path.split(separator: "/").count + 1) == isThere, "\(path)")
        }
    }

    /// A name that no path can have is counted as a file that cannot go.
    @Test
    func namesThatNoPathHasAreCounted() async throws {
        let harness = try await TransferHarness(["d/x": "1"])
        harness.memory.state.withLock { $0.oddNames = ["..", String(repeating: "n", count: 2000)] }
        let ended = try await harness.run(try await harness.pull("d"))
        #expect(ended.state == .failed && ended.problem == .name && ended.progress.failedFiles == 2)
        #expect(try await harness.files() == ["d/x": "1"])
    }

    @Test
    func foldersThatWaitAreBounded() async throws {
        var limits = TransferLimits(maxFileBytes: .max)
        limits.maxFolderBytes = 200
        // One folder of a chain waits at a time; the top of a drive is a folder, too.
        let files = ["a/b/c/d/x": "1"]
        let harness = try await TransferHarness(files, limits: limits)
        #expect(try await harness.run(try await harness.pull("")).state == .done)
        #expect(try await harness.files() == files)
        harness.memory.state.withLock { state in
            for name in ["e", "f", "g"] { state.files["\(name)/x"] = .init(bytes: [1]) }
        }
        let ended = try await harness.run(try await harness.pull(""))
        #expect(ended.state == .failed && ended.problem == .tooMany)
    }
}
