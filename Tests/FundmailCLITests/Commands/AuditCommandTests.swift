import TestSupport
import Testing

/// `fundmail audit` on a real store: who did what, in all its forms.
@Suite(.startsPrograms) struct AuditCommandTests {
    @Test func filtersAndFormats() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let all = try jsonLines(try await store.run("audit", "--format", "json").output)
        let actions = all.compactMap { $0["action"] as? String }
        #expect(actions.filter { $0 == "user.add" }.count == CrashMail.users.count, "\(actions)")
        #expect(actions.filter { $0 == "fund.add" }.count == CrashMail.funds.count, "\(actions)")
        let ids = all.compactMap { $0["id"] as? Int }
        #expect(ids == ids.sorted(by: >), "the newest first")
        let actor = try #require(all.first?["actor"] as? String)

        for (words, count) in [
            // One of the users has a password.
            (["--action", "user"], CrashMail.users.count + 1), (["--action", "fund.add"], CrashMail.funds.count),
            (["--subject", "bob@example.com", "--action", "user.add"], 1), (["--limit", "1"], 1),
            (["--actor", actor], all.count), (["--actor", "someone.else"], 0), (["--since", "1h"], all.count),
            (["--until", "1h"], 0),
        ] {
            let done = try await store.program.run(store.arguments(["audit", "--format", "json"] + words))
            #expect(try jsonLines(done.output).count == count, "\(words): \(done)")
        }

        let table = try await store.run("audit", "--limit", "1")
        #expect(table.output.hasPrefix("TIME") && table.output.contains("fund.add"), "\(table)")
        #expect(table.errors == "There is more: say --limit, or filter.\n", "\(table)")
        let csv = try await store.run("audit", "--format", "csv", "--action", "user.add")
        #expect(csv.output.split(whereSeparator: \.isNewline).count == CrashMail.users.count + 1, "\(csv)")
    }

    @Test(arguments: [["--since", "soon"], ["--until", "2026-02-30"], ["--limit", "0"], ["--format", "xml"]])
    func saysWhatIsWrong(words: [String]) async throws {
        let done = try await BuiltProgram().run(["audit", "--store", "/nowhere"] + words)
        #expect(done.status == 64 && done.errors.contains(words[0]), "\(done)")
    }
}
