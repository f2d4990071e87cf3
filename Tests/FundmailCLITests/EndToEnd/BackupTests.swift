import Foundation
import FundCore
import TestSupport
import Testing

/// A store that is copied while it is used, and one of which only the log is left.
@Suite(.startsPrograms, .serialized) struct BackupTests {
    private static func arguments(_ store: ReplayStore) -> [String] {
        store.arguments(["backup", "--to", target(of: store), "--json"])
    }

    private func backUp(_ store: ReplayStore) async throws -> BuiltProgram.Finished {
        try await store.program.run(Self.arguments(store))
    }

    private static func target(of store: ReplayStore) -> String { "\(store.folder)/backup" }

    private func counts(_ done: BuiltProgram.Finished) throws -> [String: Int] {
        try #require(done.isSuccess, "\(done)")
        return try #require(try jsonLines(done.output).first as? [String: Int])
    }

    private func verify(_ path: String, _ store: ReplayStore) async throws {
        let verified = try await store.program.run(["--store", path, "verify"])
        #expect(verified.output.contains("All is well"), "\(verified)")
    }

    @Test func copiesWhatIsNew() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let mail = CrashMail.messages(60, fileBytes: 20_000)
        try store.write(Array(mail[..<50]))
        #expect(try await store.replay().isSuccess)
        let first = try counts(try await backUp(store))
        #expect(first["copied_bytes"] == first["log_bytes"])
        try store.write(mail)
        #expect(try await store.replay().isSuccess)
        let second = try counts(try await backUp(store))
        let (copied, all) = (try #require(second["copied_bytes"]), try #require(second["log_bytes"]))
        #expect(copied > 0 && copied < all / 2)
        #expect(try counts(try await backUp(store))["copied_bytes"] == 0)
        let target = Self.target(of: store)
        try await verify(target, store)
        #expect(try StoreSnapshot(store: target) == store.snapshot())
        // Another store's backup must not mix with it.
        let other = try await ReplayStore(madeIn: ReplayStore.newFolder())
        defer { other.remove() }
        for count in [0, 3] {
            try other.write(Array(mail[..<count]))
            #expect(try await other.replay().isSuccess)
            let refused = try await other.run("backup", "--to", target)
            #expect(refused.status != 0 && refused.errors.contains("another store"), "\(refused)")
            #expect(try StoreSnapshot(store: target) == store.snapshot())
        }
    }

    /// Yesterday's state comes out of today's folder; and the store that is made of it does not replace today's.
    @Test func restoresAnOlderState() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let (target, mail) = (Self.target(of: store), CrashMail.messages(20, fileBytes: 2000))
        try store.write(Array(mail[..<10]))
        #expect(try await store.replay().isSuccess)
        let yesterday = try store.snapshot()
        _ = try counts(try await backUp(store))
        try store.write(mail)
        #expect(try await store.replay().isSuccess)
        #expect(try counts(try await backUp(store))["kept_states"] == 1)
        let listed = try await store.program.run(["restore", target, "--list", "--json"])
        let states = try jsonLines(listed.output)
        let name = try #require(states.last?["state"] as? String, "\(listed)")
        #expect(states.count == 2 && states.first?["state"] is NSNull)
        let restored = "\(store.folder)/yesterday"
        let done = try await store.program.run(["restore", target, "--state", name, "--to", restored])
        #expect(done.isSuccess && done.output.contains("verify"), "\(done)")
        try await verify(restored, store)
        #expect(try StoreSnapshot(store: restored) == yesterday)
        let again = try await store.program.run(["restore", target, "--to", restored])
        #expect(again.status == 65 && again.errors.contains("not empty"), "\(again)")
        let refused = try await store.program.run(["--store", restored, "backup", "--to", target])
        #expect(refused.status == 65 && refused.errors.contains("10 messages"), "\(refused)")
        for word in ["--force", "fundmail restore"] { #expect(refused.errors.contains(word), "\(refused)") }
        let forced = try await store.program.run(["--store", restored, "backup", "--to", target, "--force"])
        #expect(forced.isSuccess && forced.output.contains("10 messages"), "\(forced)")
    }

    /// A database that cannot be opened keeps nothing of the log out of the backup, and the message has all that helps.
    @Test func copiesTheLogBesideADatabaseThatCannotBeOpened() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.write(CrashMail.messages(20, fileBytes: 2000))
        #expect(try await store.replay().isSuccess)
        let database = "\(store.store)/fundmail.sqlite"
        truncate(database, off_t(try TestFile.read(database).count / 8192 * 4096))
        let done = try await store.run("backup", "--to", Self.target(of: store))
        #expect(done.status == 73, "\(done)")
        for word in ["fundmail restore", "fundmail rebuild", "fundmail salvage", "in the backup"] {
            #expect(done.errors.contains(word), "\(done.errors)")
        }
        let name = "log/000001.seg"
        #expect(try TestFile.read("\(Self.target(of: store))/\(name)") == TestFile.read("\(store.store)/\(name)"))
    }

    /// A repair says which of the two is damaged, and does not advise itself.
    @Test func saysWhyABackupIsNotTaken() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.write(CrashMail.messages(20, fileBytes: 2000))
        #expect(try await store.replay().isSuccess)
        _ = try counts(try await backUp(store))
        let twin = "\(store.folder)/twin"
        try FileManager.default.copyItem(atPath: store.store, toPath: twin)
        let (other, cut, text) = ("\(store.folder)/other", "\(store.folder)/cut", "\(store.folder)/text")
        #expect(try await store.program.run(["--store", twin, "backup", "--to", other]).isSuccess)
        try FileManager.default.copyItem(atPath: Self.target(of: store), toPath: cut)
        truncate("\(cut)/fundmail.sqlite", 20 * 4096)
        try TestFile.write(String(repeating: "text ", count: 4096), to: text)
        // The last connection moves the write-ahead log into the database; rows in the log would hide the damage.
        try StoreSnapshot.execute("SELECT 1", in: store.store)
        // The first letter of a name changes, as on a bad disk.
        let database = "\(store.store)/fundmail.sqlite"
        var bytes = try TestFile.read(database)
        let name = Array("Fund1".utf8)
        for start in bytes.indices.dropLast(name.count) where bytes[start] == name[0] {
            if bytes[start..<start + name.count].elementsEqual(name) { bytes[start] = 0x47 }
        }
        try TestFile.write(bytes, to: database)
        for (path, words) in [
            (other, "went another way"), (cut, "is the backup's fundmail.sqlite"), (text, "is the backup's text"),
            (store.store, "the store itself"), ("\(store.folder)/none", "no fundmail.sqlite"),
        ] {
            let done = try await store.run("verify", "--repair", "--backup", path)
            #expect(done.status == 65 && done.errors.contains(words), "\(done)")
            #expect(!done.errors.contains("--repair"), "\(done)")
        }
        #expect(try TestFile.read(database) == bytes)
    }

    /// The copy of a store that is written to meanwhile is whole, and so is one that was broken off.
    @Test func isWholeAtEveryMoment() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let target = Self.target(of: store)
        let mail = CrashMail.messages(160, fileBytes: 30_000)
        try store.write(Array(mail[..<20]))
        #expect(try await store.replay().isSuccess)
        _ = try counts(try await backUp(store))
        var generator = SeededGenerator(seed: 4)
        for round in 0..<6 {
            try store.write(Array(mail[..<(40 + round * 20)]))
            async let replayed = store.replay()
            let backup = try store.program.start(Self.arguments(store))
            let isKilled = round % 3 != 2
            let done = try await backup.wait(
                killAfter: isKilled ? Double.random(in: 0.001..<0.15, using: &generator) : nil)
            #expect(isKilled || done.isSuccess, "\(done)")
            #expect(try await replayed.isSuccess)
            // Restored by copying.
            let restored = "\(store.folder)/restored"
            try? FileManager.default.removeItem(atPath: restored)
            try FileManager.default.copyItem(atPath: target, toPath: restored)
            try await verify(restored, store)
            let again = try await store.program.run(["--store", restored, "replay", "mail"])
            #expect(again.isSuccess, "\(again)")
            try await verify(restored, store)
        }
        _ = try counts(try await backUp(store))
        #expect(try StoreSnapshot(store: target) == store.snapshot())
    }

    @Test func salvagesAllWithoutTheDatabase() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.write(CrashMail.messages(40, fileBytes: 5000) + CrashMail.messages(1, fileBytes: 3_000_000))
        #expect(try await store.replay().isSuccess)
        let contents = try store.snapshot().files
        let target = "\(store.folder)/salvaged"
        let done = try await store.program.run(["salvage", "\(store.store)/log", "--to", target])
        #expect(done.isSuccess, "\(done)")
        func digests(_ folder: String) throws -> Set<String> {
            Set(
                try TestFile.names(in: "\(target)/\(folder)").filter { !$0.hasPrefix(".") }.map { name in
                    ContentDigest.of(try TestFile.read("\(target)/\(folder)/\(name)")).hex
                })
        }
        func known(_ kind: String) -> Set<String> {
            Set(contents.filter { $0.hasPrefix("\(kind)/") }.map { String($0.split(separator: " ")[1]) })
        }
        #expect(try digests("mail") == known("raw"))
        // An empty file has no bytes.
        #expect(try digests("files") == known("blobs").subtracting([ContentDigest.of([]).hex]))
        let nothing = try await store.program.run(["salvage", store.mail, "--to", target])
        #expect(nothing.status == 65 && nothing.errors.contains("no segments"), "\(nothing)")
    }
}
