import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

/// No space stops a run cleanly with 73 and says what to do; with space made, the same command goes on.
@Suite(.startsPrograms, .serialized) struct DiskFullTests {
    /// A store on a file system of its own that is too small; only root may make one.
    @Test(.enabled(if: SmallDisk.isPossible, "this user may not mount")) func smallFileSystem() async throws {
        let disk = try SmallDisk(bytes: 6_000_000)
        defer { disk.unmount() }
        let mail = CrashMail.messages(100, fileBytes: 60_000)
        let store = try await ReplayStore(madeIn: disk.path + "/data")
        // The mail stands elsewhere, and must not take the space.
        let elsewhere = ReplayStore.newFolder()
        defer { try? FileManager.default.removeItem(atPath: elsewhere) }
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
        for message in mail {
            try Data(message.bytes).write(to: URL(fileURLWithPath: "\(elsewhere)/\(message.name)"))
        }

        let full = try await store.run("replay", elsewhere, "--json")
        try expectStop(full)
        try await expectNothingHalf(store)
        // Mail that fits is filed, and nothing else takes room.
        let filed = try store.snapshot().rows["email"]?.count ?? 0
        #expect(filed > 10, "\(filed) of \(mail.count)")
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified.output)")
        try disk.resize(bytes: 200_000_000)
        try await expectCompletion(store, words: ["replay", elsewhere, "--json"], mail)
    }

    /// The disk has room for a quarter of a page that SQLite maps: the rest must have room before it is written to.
    @Test(
        .enabled(if: SmallDisk.isExt4Possible, "this user may not mount a file system"),
        arguments: [(8192, false), (8192, true), (40_960, false)])
    func blocksThatAreSmallerThanPages(left: Int, hasReserve: Bool) async throws {
        let disk = try SmallDisk(ext4Bytes: 24 << 20)
        defer { disk.unmount() }
        let path = disk.path + "/store"
        let store = try FundStore.open(at: path, mode: .create)
        _ = try await store.administration.addUser(
            email: "ann@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        try store.close()
        let mail = try TestFile.makeFolder("mail") + "/a.eml"
        try TestFile.write(Array("From: ann@example.com\n\nb".utf8), to: mail)
        if !hasReserve { truncate(path + "/reserve", 0) }
        try disk.fill(leaving: left)
        let certain = [["user", "list"], ["user", "disable", "ann@example.com"]]
        for words in certain + [["trash", "empty", "--all"], ["replay", mail]] {
            let done = try await BuiltProgram().run(["--store", path] + words)
            try #require(!done.wasKilled, "\(words): signal \(done.status)\n\(done.errors.prefix(400))")
            let expected: [Int32] = certain.contains(words) || hasReserve && words[0] == "trash" ? [0] : [0, 73]
            #expect(expected.contains(done.status), "\(words): \(done)")
            if done.status == 73 { #expect(done.errors.localizedCaseInsensitiveContains("space"), "\(done.errors)") }
        }
        disk.unfill()
        let verified = try await BuiltProgram().run(["--store", path, "verify"])
        #expect(verified.isSuccess, "\(verified)")
    }

    /// Bytes are left, but no room for another file.
    @Test(.enabled(if: SmallDisk.isPossible, "this user may not mount")) func noInodes() async throws {
        let disk = try SmallDisk(bytes: 60_000_000, inodes: 120)
        defer { disk.unmount() }
        let mail = CrashMail.messages(5, fileBytes: 4000)
        let store = try await ReplayStore(madeIn: disk.path + "/data")
        try store.write(mail)
        var fillers: [String] = []
        while case let filler = "\(disk.path)/\(fillers.count)", mknod(filler, S_IFREG | 0o600, 0) == 0 {
            fillers.append(filler)
        }
        try #require(fillers.count > 10)
        let full = try await store.replay()
        try expectStop(full)
        #expect(full.errors.contains("inodes"), "\(full.errors)")
        for filler in fillers { unlink(filler) }
        try await expectCompletion(store, words: ["replay", "mail", "--json"], mail)
    }

    /// A limit on the size of a file, as a quota or `ulimit -f` sets it. The kernel sends SIGXFSZ, which must not kill.
    @Test func fileSizeLimit() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let mail = CrashMail.messages(60, fileBytes: 4000) + [Self.large]
        try store.write(mail)

        let full = try await store.with([:], prefix: ["prlimit", "--fsize=1500000"]).replay()
        try expectStop(full)
        try await expectNothingHalf(store)
        try await expectCompletion(store, words: ["replay", "mail", "--json"], mail)
    }

    /// One message over the limit, in the middle of the others.
    private static var large: CrashMail.Message {
        var message = CrashMail.messages(1, fileBytes: 3_000_000)[0]
        message.name = "m00030-large.eml"
        message.bytes = Array("X-Large: yes\n".utf8) + message.bytes
        return message
    }

    private func expectStop(_ full: BuiltProgram.Finished) throws {
        try #require(!full.wasKilled, "\(full.status): \(full.errors)")
        #expect(full.status == 73, "\(full.errors)")
        #expect(full.errors.localizedCaseInsensitiveContains("space"), "says what to do: \(full.errors)")
        // The messages that were counted are whole; the line tells how far it came.
        let lines = try jsonLines(full.output)
        #expect(lines.last?["summary"] != nil, "the summary comes also now: \(full.output.suffix(300))")
    }

    private func expectNothingHalf(_ store: ReplayStore) async throws {
        let snapshot = try store.snapshot()
        #expect(snapshot.wrongFiles.isEmpty)
        let verified = try await store.run("verify")
        #expect(!verified.wasKilled)
        // A file without a row is a remainder; a row without its file, or with half of it, is a loss.
        for word in ["missing", "damaged"] { #expect(!verified.output.contains(word), "\(verified.output)") }
    }

    private func expectCompletion(_ store: ReplayStore, words: [String], _ mail: [CrashMail.Message]) async throws {
        let done = try await store.program.run(store.arguments(words))
        try #require(done.isSuccess, "\(done)")
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
        let snapshot = try store.snapshot()
        #expect(snapshot.leftovers.isEmpty)
        #expect(snapshot.wrongFiles.isEmpty)
        #expect(snapshot.rows["email"]?.count == mail.count { $0.outcome == "filed" })
        #expect(snapshot.rows["misroute"]?.count == mail.count { ["misrouted", "rejected"].contains($0.outcome) })
    }
}
