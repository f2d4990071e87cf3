import Foundation
import TestSupport
import Testing

/// The built command against a real server, as a person runs it.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(10))) struct CommandTests {
    private let folder: String
    private var program: BuiltProgram

    init() throws {
        folder = try TestFile.makeFolder("fund")
        program = .fund(in: folder)
    }

    private func fund(_ words: String...) async throws -> BuiltProgram.Finished { try await program.run(words) }

    private func put(_ bytes: [UInt8], at name: String) throws {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try TestFile.write(bytes, to: path)
    }

    /// All files below a folder by their paths, unfinished ones included.
    private func files(below name: String) throws -> [String: [UInt8]] {
        let names = FileManager.default.enumerator(atPath: "\(folder)/\(name)")?.compactMap { $0 as? String } ?? []
        var files: [String: [UInt8]] = [:]
        for path in names {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(folder)/\(name)/\(path)", isDirectory: &isFolder)
            if !isFolder.boolValue { files[path] = try TestFile.read("\(folder)/\(name)/\(path)") }
        }
        return files
    }

    @Test func foldersGoThereAndBack() async throws {
        let server = try await FundmailServer(.valid)
        let authority = try TestAuthority.shared.get().caFile
        #expect(try await fund("ls").status == 77)
        let untrusted = try await fund("login", server.url, FundmailServer.user)
        #expect(untrusted.status == 69 && untrusted.errors.contains("--ca-file"), "\(untrusted)")
        let login = try await fund("login", server.url, FundmailServer.user, "--ca-file", authority)
        #expect(login.isSuccess && login.output.hasPrefix("Signed in to "), "\(login)")
        #expect(try await fund("status").isSuccess)

        let large = patternBytes(2_000_000)
        let tree: [String: [UInt8]] = ["a.bin": large, "Über & Co/日本 #1?.txt": [1, 2], "Über & Co/empty": []]
        for (name, bytes) in tree { try put(bytes, at: "Photos/" + name) }
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/Photos/link", withDestinationPath: "a.bin")
        let sent = try await fund("put", "Photos", "Fund1")
        #expect(sent.isSuccess && sent.errors == "fund: Photos/link: It is a link, and was left out.\n", "\(sent)")
        let got = try await fund("get", "Fund1/Photos", "--to", "back")
        #expect(got.isSuccess, "\(got)")
        #expect(try files(below: "back/Photos") == tree)

        // Once more: all is there, here and there.
        #expect(try await fund("put", "Photos", "Fund1").output.contains("3 were there already"))
        #expect(try await fund("get", "Fund1/Photos", "--to", "back").output.contains("3 were there already"))

        try put([9], at: "back/Photos/a.bin")
        let kept = try await fund("get", "Fund1/Photos/a.bin", "--to", "back/Photos")
        #expect(kept.status == 1 && kept.errors.contains("--replace"), "\(kept)")
        #expect(try TestFile.read(folder + "/back/Photos/a.bin") == [9])
        try put([9], at: "Photos/a.bin")
        #expect(try await fund("put", "Photos/a.bin", "Fund1/Photos").status == 1)
        #expect(try await fund("get", "Fund1/Photos/a.bin", "--to", "back/Photos", "--replace").isSuccess)
        #expect(try files(below: "back/Photos") == tree)
        // Into a folder whose name differs in letter case, and into a fund with a slash in its name.
        try put([7], at: "pHotos/case.bin")
        let same = try await fund("put", "pHotos", "Fund1")
        #expect(same.isSuccess, "\(same)")
        #expect(try await fund("ls", "Fund1/Photos").output.contains("case.bin"))
        try FileManager.default.removeItem(atPath: folder + "/pHotos")
        let added = try await server.store.run("fund", "add", "Q1/Q2", "--owner", FundmailServer.user)
        #expect(added.isSuccess, "\(added)")
        #expect(try await fund("mkdir", "Q1/Q2/inner").isSuccess)
        #expect(try await fund("ls", "Q1/Q2").output.contains("inner/"))
        #expect(try await fund("rm", "Fund1/Photos/case.bin").isSuccess)
        let output = try await fund("get", "Fund1/Photos/Über & Co/日本 #1?.txt", "--to", "-")
        #expect(Array(output.output.utf8) == [1, 2])
        try await server.kill()
    }

    @Test func listsMovesAndRemoves() async throws {
        let server = try await FundmailServer()
        #expect(try await fund("login", server.url, FundmailServer.user).isSuccess)
        #expect(try await fund("mkdir", "-p", "Fund1/A/B").isSuccess)
        #expect(try await fund("mkdir", "Fund1/A").status == 1)
        let evil = "\u{1B}[31m\u{202E}fdp.exe"
        try put([1], at: evil)
        // The server takes no such name; what is said about it must not command the terminal either.
        let refused = try await fund("put", evil, "Fund1/A")
        #expect(refused.status == 1 && !refused.errors.isEmpty, "\(refused)")
        #expect(!refused.errors.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E })
        try put([2], at: "d.txt")
        #expect(try await fund("put", "d.txt", "//Fund1//A/e.txt").isSuccess)
        // A slash at the end names a folder: a file does not get that name.
        #expect(try await fund("put", "d.txt", "Fund1/none/").status == 1)
        #expect(try await fund("mv", "Fund1/A/e.txt", "Fund1/A/B").isSuccess)
        let lines = try jsonLines(try await fund("ls", "Fund1/A/B", "--json").output)
        #expect(lines.contains { $0["path"] as? String == "Fund1/A/B/e.txt" && $0["size"] as? Int == 1 })
        #expect(try await fund("rm", "Fund1/A").status == 1)
        #expect(try await fund("rm", "-r", "Fund1/A").isSuccess)
        #expect(try await fund("ls", "Fund1/A").status == 1)
        let above = try await fund("ls", "../x")
        #expect(above.status == 64 && above.errors.contains("“..” cannot stand in a path"), "\(above)")
        #expect(try await fund("ls", "//").output.contains("Fund1"))
        #expect(try await fund("nonsense").status == 64)
        #expect(try await fund("logout").isSuccess)
        #expect(try await fund("ls").status == 77)
        try await server.kill()
    }

    /// A former name finds the fund, which is said, until another fund is given it, which is said, too.
    @Test func fundsChangeTheirNames() async throws {
        let server = try await FundmailServer()
        #expect(try await fund("login", server.url, FundmailServer.user).isSuccess)
        try put([1], at: "a.txt")
        #expect(try await fund("put", "a.txt", "Fund1").isSuccess)
        #expect(try await fund("sync", "here", "--only", "Fund1", "--settle", "0").isSuccess)
        #expect(try await fund("sync", "all", "--settle", "0").isSuccess)
        #expect(try await fund("mv", "Fund1", "Alpha").isSuccess)
        let former = try await fund("ls", "Fund1/")
        #expect(former.output.contains("a.txt") && former.errors == "fund: Fund1 is another name of the fund Alpha.\n")
        let queued = try await fund("queue", "add", "/Fund1//a.txt", "--to", "there")
        #expect(queued.isSuccess && queued.errors == former.errors, "\(queued)")
        let removed = try await fund("rm", "-r", "Fund1")
        #expect(removed.status == 1 && removed.errors.contains("`fund rm -r Alpha`"), "\(removed)")

        let made = try await fund("mkdir", "Fund1", "--json")
        #expect(made.isSuccess && made.errors.contains("Mail with [Fund1] found [Alpha] until now"), "\(made)")
        #expect(try jsonLines(made.output).first?["took_name_from"] as? String == "Alpha")
        #expect(try await fund("ls", "Fund1").output == "Fund1 is empty.\n")
        #expect(try await fund("ls", "Alpha").errors.isEmpty)
        // A folder that is in step with the one is not brought in step with the other.
        let other = try await fund("sync", "here", "--only", "Fund1", "--settle", "0")
        #expect(other.status == 1 && other.errors.contains("is kept in step with"), "\(other)")
        #expect(try files(below: "here").filter { !$0.key.hasPrefix(".fund") } == ["a.txt": [1]])
        // A folder with all funds has each under the name that it has now.
        try put([2], at: "b.txt")
        #expect(try await fund("put", "b.txt", "Fund1").isSuccess)
        let all = try await fund("sync", "all", "--settle", "0")
        #expect(all.isSuccess, "\(all)")
        let funds = try files(below: "all").filter { !$0.key.hasPrefix(".fund") }
        #expect(funds == ["Alpha/a.txt": [1], "Fund1/b.txt": [2]])

        #expect(try await fund("mv", "Fund1", "Beta").isSuccess)
        let renamed = try await fund("mv", "Alpha", "Fund1")
        #expect(renamed.isSuccess && renamed.errors.contains("Mail with [Fund1] found [Beta] until now"), "\(renamed)")
        #expect(try await fund("mv", "Beta", "Fund1").status == 1)
        try await server.kill()
    }

    @Test func saysInWordsWhatIsWrong() async throws {
        let server = try await FundmailServer()
        #expect(try await fund("login", server.url, FundmailServer.user).isSuccess)
        try put([1], at: "odd/good")
        let unnamed = (folder + "/odd/b").utf8CString.dropLast() + [-1, 0]
        if let file = fopen(Array(unnamed), "w") { fclose(file) }
        let sent = try await fund("put", "odd", "Fund1")
        #expect(sent.status == 73 && sent.errors.contains("Its name is not UTF-8"), "\(sent)")
        #expect(try await fund("ls", "Fund1/odd").output.contains("good"))
        try await server.store.setPassword("quite another password", of: FundmailServer.user)
        let ended = try await fund("ls")
        #expect(ended.status == 77 && ended.errors.contains("fund login"), "\(ended)")
        var other = program
        other.environment["FUND_PASSWORD"] = "wrong"
        #expect(try await other.run(["login", server.url, FundmailServer.user]).status == 77)
        try await server.kill()
        let away = try await fund("status", "--json")
        #expect(away.status == 69, "\(away)")
        try TestFile.write("{", to: folder + "/config/fund/accounts.json")
        #expect(try await fund("ls").status == 78)
        #expect(try await fund("login", "http://192.0.2.1", "ann@example.com").status == 64)
    }

    /// A folder whose names alone can be listed is not in step. Root may read everything: another user keeps it.
    @Test(.enabled(if: OtherUser.isPossible)) func whatCannotBeReadIsNotInStep() async throws {
        let server = try await FundmailServer()
        try put([1], at: "Funds/Fund1/d/y")
        OtherUser.give(folder)
        var other = program
        other.prefix = OtherUser.prefix
        #expect(try await other.run(["login", server.url, FundmailServer.user]).isSuccess)
        let sync = ["sync", "Funds", "--settle", "0"]
        let first = try await other.run(sync)
        #expect(first.isSuccess, "\(first)")
        for rights in [0o444, 0o111, 0o000] {
            let inner = [FileAttributeKey.posixPermissions: rights]
            try FileManager.default.setAttributes(inner, ofItemAtPath: folder + "/Funds/Fund1/d")
            let held = try await other.run(sync)
            #expect(held.status == 75 && held.errors.contains("Fund1/d: it cannot be read"), "\(held)")
            #expect(try await other.run(["ls", "Fund1/d"]).output.contains("y"))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/Funds/Fund1/d")
            let again = try await other.run(sync)
            #expect(again.isSuccess && again.output == "in step\n", "\(again)")
        }
    }

    /// Neither a killed command nor a full disk leaves a file that is not whole under its name.
    @Test(.enabled(if: SmallDisk.isPossible)) func partialDownloadsNeverHaveTheirName() async throws {
        let server = try await FundmailServer()
        #expect(try await fund("login", server.url, FundmailServer.user).isSuccess)
        try put([UInt8](repeating: 7, count: 60_000_000), at: "large.bin")
        #expect(try await fund("put", "large.bin", "Fund1").isSuccess)
        let disk = try SmallDisk(bytes: 1_000_000)
        defer { disk.unmount() }
        let full = try await fund("get", "Fund1/large.bin", "--to", disk.path)
        #expect(full.status == 73 && full.errors.contains("is full"), "\(full)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
        for number in 1...5 {
            _ = try await program.run(["get", "Fund1/large.bin", "--to", "killed"], killAfter: 0.15 * Double(number))
            let path = folder + "/killed/large.bin"
            #expect(try !FileManager.default.fileExists(atPath: path) || TestFile.read(path).count == 60_000_000)
        }
        try await server.kill()
    }
}
