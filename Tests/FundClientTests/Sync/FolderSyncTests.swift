import Foundation
import Testing

@testable import FundClient

/// Real files against a server in memory: what the model's users do not do.
@Suite struct FolderSyncTests {
    private let server = ModelServer()
    private let folder: ModelFolder
    private let fund: RemoteKey

    init() throws {
        folder = try ModelFolder()
        fund = try #require(server.add(.fund, "Fund1", in: nil))
    }

    private func options(_ change: (inout FolderSync.Options) -> Void = { _ in }) -> FolderSync.Options {
        var options = FolderSync.Options()
        options.settleTime = .zero
        options.patience = .zero
        change(&options)
        return options
    }

    @discardableResult
    private func sync(_ change: (inout FolderSync.Options) -> Void = { _ in }) async throws -> SyncSummary {
        let sync = try FolderSync(
            folder.root, with: server, scope: "test", user: "ann", options: options(change),
            now: { Date(timeIntervalSince1970: 1_795_262_400) })
        defer { sync.close() }
        return try await sync.run()
    }

    /// A run that ends as by a kill at the first step after the server has a path.
    private func syncKilled(once path: String) async throws {
        try await syncKilled { [server] in server.paths[path] != nil }
    }

    /// A run that ends as by a kill at the first step at which something is so.
    private func syncKilled(when isReached: @escaping @Sendable () -> Bool) async throws {
        let killed = try FolderSync(
            folder.root, with: server, scope: "test", user: "ann", options: options(),
            reachStep: { () throws(SyncLocalError) in
                if isReached() { throw SyncLocalError(.stopped, "killed") }
            })
        defer { killed.close() }
        await #expect(throws: ClientError.self) { try await killed.run() }
    }

    @Test func comesInStepBothWays() async throws {
        server.add(.file, "there.txt", in: fund, Array("there".utf8))
        try folder.makeFolder("Fund1")
        try folder.write("here", to: "Fund1/here.txt")
        let summary = try await sync()
        #expect(summary.isInStep && summary.problems.isEmpty)
        #expect(folder.text("Fund1/there.txt") == "there")
        #expect(server.paths == folder.paths)
        let second = try await sync()
        #expect(second.isInStep && second.counts.isEmpty)
    }

    /// A new file was sent, its run was killed before it wrote that down, and the file was renamed: it is one file.
    @Test(arguments: [false, true]) func whatWasSentBeforeAKillIsKnown(isDeleted: Bool) async throws {
        try await sync()
        try folder.write("new", to: "Fund1/k")
        try await syncKilled(once: "Fund1/k")
        if isDeleted { try folder.remove("Fund1/k") } else { try folder.move("Fund1/k", to: "Fund1/other") }
        #expect(try await sync().isInStep)
        // A file that is gone here may be another's by now: it comes again.
        #expect(server.paths == folder.paths && server.paths.count == 2)
    }

    /// A new version is known, too, which another file has here, as editors write it.
    @Test func newVersionsSentBeforeAKillAreKnown() async throws {
        let file = try #require(server.add(.file, "k", in: fund, Array("1".utf8)))
        try await sync()
        try folder.write("22", to: "Fund1/new")
        try folder.remove("Fund1/k")
        try folder.move("Fund1/new", to: "Fund1/k")
        let sent = ModelServer.digest(Array("22".utf8))
        try await syncKilled { [server] in server.paths["Fund1/k"] == sent }
        try folder.move("Fund1/k", to: "Fund1/other")
        #expect(try await sync().isInStep)
        #expect(server.paths == folder.paths && server.paths.count == 2)
        #expect(server.everything.contains { $0.key == file && $0.name == "other" })
    }

    /// A file had got its name here, its run was killed before it wrote that down, and the file was renamed.
    @Test(arguments: [false, true]) func whatCameBeforeAKillIsKnown(isNewVersion: Bool) async throws {
        try await sync()
        let file = try #require(server.add(.file, "k", in: fund, Array("1".utf8)))
        if isNewVersion {
            try await sync()
            server.change(file, to: Array("22".utf8))
        }
        let new = isNewVersion ? "22" : "1"
        try await syncKilled { [folder] in folder.text("Fund1/k") == new }
        try folder.move("Fund1/k", to: "Fund1/other")
        #expect(try await sync().isInStep)
        #expect(server.paths == folder.paths && server.paths.count == 2)
        #expect(server.everything.contains { $0.key == file && $0.name == "other" })
    }

    /// Deleted there and changed here, so it was sent anew, and its run was killed: still one file.
    @Test func whatWasSentAnewBeforeAKillIsOneFile() async throws {
        let old = try #require(server.add(.file, "k", in: fund, Array("1".utf8)))
        try await sync()
        server.remove(old)
        try folder.write("22", to: "Fund1/k")
        try await syncKilled(once: "Fund1/k")
        try folder.write("333", to: "Fund1/k")
        #expect(try await sync().isInStep)
        #expect(server.paths == folder.paths)
        #expect(server.versions.isSuperset(of: [ModelServer.digest(Array("22".utf8))]))
    }

    @Test func keepsBothVersionsOfAConflict() async throws {
        let file = try #require(server.add(.file, "report.pdf", in: fund, Array("1".utf8)))
        try await sync()
        server.change(file, to: Array("from the server".utf8))
        try folder.write("from here, too", to: "Fund1/report.pdf")
        let summary = try await sync()
        #expect(summary.counts[.conflict] == 1)
        #expect(folder.text("Fund1/report.pdf") == "from the server")
        #expect(folder.text("Fund1/report (conflict, ann, 2026-11-21).pdf") == "from here, too")
        #expect(server.paths == folder.paths)
    }

    @Test func keepsInItsTrashWhatItReplacesAndDeletes() async throws {
        let first = try #require(server.add(.file, "a.txt", in: fund, Array("old".utf8)))
        let second = try #require(server.add(.file, "b.txt", in: fund, Array("gone".utf8)))
        try await sync()
        chmod(folder.path("Fund1/a.txt"), 0o640)
        try await sync()
        server.change(first, to: Array("new one".utf8))
        server.remove(second)
        try await sync()
        #expect(folder.text("Fund1/a.txt") == "new one")
        #expect(try LocalFiles.status(folder.path("Fund1/a.txt")).rights == 0o640)
        #expect(folder.text(".fund/trash/2026-11-21/Fund1/a.txt") == "old")
        #expect(folder.text(".fund/trash/2026-11-21/Fund1/b.txt") == "gone")
        // Kept for 30 days.
        let later = try FolderSync(
            folder.root, with: server, scope: "test", user: "ann", options: options(),
            now: { Date(timeIntervalSince1970: 1_795_262_400 + 32 * 86_400) })
        _ = try await later.run()
        later.close()
        #expect(folder.text(".fund/trash/2026-11-21/Fund1/a.txt") == nil)
    }

    @Test func leavesAloneAndSaysWhatIsNoFile() async throws {
        try await sync()
        try folder.write("x", to: "Fund1/plain.txt")
        try folder.write("x", to: "top.txt")
        symlink("/etc/passwd", folder.path("Fund1/link"))
        mkfifo(folder.path("Fund1/pipe"), 0o600)
        let bad = open(folder.path("Fund1/") + "bad", O_CREAT | O_WRONLY, 0o600)
        close(bad)
        var name = Array(folder.path("Fund1/").utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
        rename(folder.path("Fund1/bad"), &name)
        let summary = try await sync()
        #expect(summary.isInStep)
        #expect(Set(summary.problems.keys).isSuperset(of: ["top.txt", "Fund1/link", "Fund1/pipe"]))
        #expect(summary.problems.count == 4)
        #expect(server.paths.keys.sorted() == ["Fund1", "Fund1/plain.txt"])
    }

    private func withoutText(_ name: String) -> [CChar] {
        Array(folder.path("Fund1/").utf8CString.dropLast() + [CChar(bitPattern: 0xFF)] + name.utf8CString)
    }

    /// Nor are those that are moved into a folder with such a name.
    @Test func foldersWithoutATextualNameAreNoDeletes() async throws {
        let place = try #require(server.add(.folder, "d", in: fund))
        server.add(.file, "a", in: place, Array("a".utf8))
        try await sync()
        let there = server.paths
        mkdir(withoutText(""), 0o700)
        rename(folder.path("Fund1/d/a"), withoutText("/a"))
        try folder.write("changed", to: "Fund1/new")
        try folder.remove("Fund1/d")
        let waiting = try await sync()
        #expect(!waiting.isInStep && server.paths.filter { $0.key != "Fund1/new" } == there)
        rename(withoutText(""), folder.path("Fund1/good"))
        #expect(try await sync().isInStep)
        #expect(
            server.paths == folder.paths
                && server.paths.keys.sorted() == [
                    "Fund1", "Fund1/good", "Fund1/good/a", "Fund1/new",
                ])
    }

    /// Nor is a whole fund, which is not made anew either.
    @Test func fundsWithoutATextualNameWait() async throws {
        server.add(.file, "k", in: fund, Array("1".utf8))
        let other = try #require(server.add(.fund, "Other", in: nil))
        for number in 0..<9 { server.add(.file, "\(number)", in: other, Array("o\(number)".utf8)) }
        try await sync()
        let there = server.paths
        let bad = folder.path("").utf8CString.dropLast() + [CChar(bitPattern: 0xFF), 0]
        rename(folder.path("Fund1"), Array(bad))
        #expect(try await sync().isInStep == false)
        #expect(server.paths == there && folder.text("Fund1/k") == nil)
        rename(Array(bad), folder.path("New name"))
        #expect(try await sync().isInStep)
        #expect(server.paths == folder.paths && server.paths.count == there.count)
        #expect(server.everything.contains { $0.key == fund && $0.name == "New name" })
    }

    /// Deleted here and there, its run killed before it noted that, and put back since.
    @Test(arguments: ["d", "d/k"]) func whatIsPutBackAfterAKillStays(name: String) async throws {
        let place = try #require(server.add(.folder, "d", in: fund))
        server.add(.file, "k", in: place, Array("1".utf8))
        for number in 0..<9 { server.add(.file, "\(number)", in: fund, Array("o\(number)".utf8)) }
        try await sync()
        let there = server.paths
        rename(folder.path("Fund1/\(name)"), folder.root + "-aside")
        try await syncKilled { [server] in server.paths["Fund1/\(name)"] == nil }
        rename(folder.root + "-aside", folder.path("Fund1/\(name)"))
        #expect(try await sync().isInStep)
        #expect(server.paths == there && folder.paths == there)
    }

    /// A file with two names, both of which had been sent when the run was killed.
    @Test func linksSentBeforeAKillAreKnown() async throws {
        try await sync()
        try folder.write("1", to: "Fund1/a")
        link(folder.path("Fund1/a"), folder.path("Fund1/b"))
        try await syncKilled { [server] in server.paths.count == 3 }
        try folder.move("Fund1/a", to: "Fund1/c")
        #expect(try await sync().isInStep)
        #expect(server.paths == folder.paths && server.paths.keys.sorted() == ["Fund1", "Fund1/b", "Fund1/c"])
    }

    /// Another name for what is in step hides nothing.
    @Test func linksWithoutATextualNameHoldNothing() async throws {
        server.add(.file, "k", in: fund, Array("1".utf8))
        server.add(.file, "gone", in: fund, Array("2".utf8))
        try await sync()
        link(folder.path("Fund1/k"), withoutText(""))
        try folder.remove("Fund1/gone")
        #expect(try await sync().isInStep)
        #expect(server.paths.keys.sorted() == ["Fund1", "Fund1/k"])
    }

    /// A file and a folder that get names which are no UTF-8 are not deleted on the server.
    @Test(arguments: ["k", "d"], [false, true]) func namesThatAreNoTextAreNoDeletes(
        name: String, isChanged: Bool
    ) async throws {
        server.add(.file, "k", in: fund, Array("1".utf8))
        let place = try #require(server.add(.folder, "d", in: fund))
        server.add(.file, "a", in: place, Array("a".utf8))
        try await sync()
        let there = server.paths
        if isChanged {
            let file = try FileHandle(
                forWritingTo: URL(fileURLWithPath: folder.path(name == "k" ? "Fund1/k" : "Fund1/d/a")))
            try file.write(contentsOf: Data("changed".utf8))
        }
        rename(folder.path("Fund1/\(name)"), withoutText(""))
        let waiting = try await sync()
        #expect(!waiting.isInStep && server.paths == there)
        #expect(waiting.problems["Fund1/\u{FFFD}"] == "its name is not UTF-8; rename it")
        rename(withoutText(""), folder.path("Fund1/new"))
        #expect(try await sync().isInStep)
        #expect(server.paths == folder.paths && server.paths.keys.contains("Fund1/new"))
    }

    /// A link in the place of a folder must neither be followed nor be taken for a delete.
    @Test func followsNoLink() async throws {
        let place = try #require(server.add(.folder, "d", in: fund))
        server.add(.file, "a.txt", in: place, Array("a".utf8))
        try await sync()
        let outside = try ModelFolder()
        try folder.remove("Fund1/d")
        symlink(outside.root, folder.path("Fund1/d"))
        server.add(.file, "b.txt", in: place, Array("b".utf8))
        let summary = try await sync()
        #expect(summary.problems["Fund1/d"] != nil)
        #expect(outside.paths.isEmpty)
        #expect(server.paths["Fund1/d/a.txt"] != nil)
    }

    /// Else each run of the one would put what the other keeps one level deeper.
    @Test func noFolderIsKeptWithinAnother() async throws {
        try folder.makeFolder("Fund1")
        try folder.makeFolder("Fund1/in")
        try folder.makeFolder("Fund1/in/.fund")
        try folder.write("state", to: "Fund1/in/.fund/state.sqlite")
        try folder.write("a", to: "Fund1/in/a.txt")
        let summary = try await sync()
        #expect(summary.isInStep && summary.problems.isEmpty)
        #expect(server.paths["Fund1/in/a.txt"] != nil && server.paths["Fund1/in/.fund"] == nil)
        #expect {
            try FolderSync(folder.path("Fund1/in"), with: server, scope: "test", user: "ann", options: options())
        } throws: { ($0 as? ClientError)?.detail.contains("in step already") ?? false }
    }

    @Test func waitsForAFileThatGrows() async throws {
        try await sync()
        try folder.write("half", to: "Fund1/big.bin")
        let early = try await sync { $0.settleTime = .seconds(30) }
        #expect(early.isWaiting && !early.isInStep)
        #expect(server.paths["Fund1/big.bin"] == nil)
        let later = try await sync()
        #expect(later.isInStep)
        #expect(server.paths["Fund1/big.bin"] != nil)
    }

    @Test func asksBeforeManyDeletes() async throws {
        for number in 0..<20 { server.add(.file, "\(number)", in: fund, Array("\(number)".utf8)) }
        try await sync()
        for number in 0..<10 { try folder.remove("Fund1/\(number)") }
        let held = try await sync()
        #expect(held.heldDeletesThere == 10 && !held.isInStep && held.knownFiles == 20)
        #expect(server.paths.count == 21)
        let meant = try await sync { $0.mayDeleteMany = true }
        #expect(meant.isInStep && server.paths.count == 11)
    }

    @Test func doesNothingInADryRun() async throws {
        server.add(.file, "a", in: fund, Array("a".utf8))
        let summary = try await sync { $0.isDryRun = true }
        #expect(summary.counts == [.makeFolderHere: 1, .download: 1])
        #expect(folder.paths.isEmpty)
    }

    @Test func isKeptByOneProcessAndForOneAccount() async throws {
        let first = try FolderSync(folder.root, with: server, scope: "one", user: "ann", options: options())
        #expect(throws: ClientError.self) {
            try FolderSync(folder.root, with: server, scope: "one", user: "ann", options: options())
        }
        first.close()
        #expect(throws: ClientError.self) {
            try FolderSync(folder.root, with: server, scope: "two", user: "bob", options: options())
        }
    }

    /// Without the rows of last time, as after a restore of the folder from a backup, nothing is deleted.
    @Test func deletesNothingWithoutRows() async throws {
        for number in 0..<5 { server.add(.file, "\(number)", in: fund, Array("\(number)".utf8)) }
        try await sync()
        try folder.remove(".fund")
        try folder.remove("Fund1/0")
        try folder.write("new", to: "Fund1/new")
        let summary = try await sync()
        #expect(summary.isInStep)
        #expect(server.paths.count == 7 && server.paths == folder.paths)
    }

    /// A folder copied to another disk has other inodes: its files are still those of their names.
    @Test func knowsACopyOfTheFolder() async throws {
        for number in 0..<5 { server.add(.file, "\(number)", in: fund, Array("\(number)".utf8)) }
        try await sync()
        let copy = try ModelFolder()
        try FileManager.default.removeItem(atPath: copy.root)
        try FileManager.default.copyItem(atPath: folder.root, toPath: copy.root)
        let sync = try FolderSync(copy.root, with: server, scope: "test", user: "ann", options: options())
        defer { sync.close() }
        let summary = try await sync.run()
        #expect(summary.isInStep && summary.counts.isEmpty)
    }

    @Test func keepsNamesOfAllKinds() async throws {
        let names = [
            "a%2e%2e%2f", "CON", "x.pdf .", ".htaccess", "报告.doc", "100% #1?.csv", "e\u{301}.txt", "back\\slash",
            "quote\"'.txt", "=HYPERLINK(", String(repeating: "n", count: 250),
        ]
        for name in names { server.add(.file, name, in: fund, Array(name.utf8)) }
        let summary = try await sync()
        #expect(summary.isInStep && summary.problems.isEmpty)
        #expect(server.paths == folder.paths)
    }
}
