import Foundation
import TestSupport
import Testing

/// Mail that cannot be filed, on the way from the report back into a fund.
@Suite(.startsPrograms) struct ReportTests {
    private static let subject = "[Fnud1] <b>$(touch x)</b> '; rm -rf \"~\" =1+1"

    private func store() async throws -> ReplayStore {
        let store = try await ReplayStore()
        func put(_ name: String, _ from: String, _ subject: String) throws {
            let text = "From: \(from)\nSubject: \(subject)\nMessage-ID: <\(name)@x>\n\nbody \(name)\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(store.mail)/\(name).eml"))
        }
        for words in [["user", "add", "zoe@x.example"], ["fund", "add", "Fund1", "--owner", "zoe@x.example"]] {
            let done = try await store.program.run(store.arguments(words))
            try #require(done.isSuccess, "\(done)")
        }
        try put("1", "zoe@x.example", Self.subject)
        try put("2", "zoe@x.example", "[Fnud1] second")
        try put("3", "stranger@x.example", "[Fund1] third")
        try put("4", "=cmd@x.example", "+CMD no tag")
        let replayed = try await store.replay()
        try #require(replayed.isSuccess, "\(replayed)")
        return store
    }

    /// Numbers follow the order in which messages were through, which is not that of the files.
    private func ids(_ store: ReplayStore) async throws -> [String: String] {
        let lines = try jsonLines(try await store.run("report", "misrouted", "--format", "json").output)
        let pairs = lines.map { line in
            let name = (line["source"] as? String ?? "").split(separator: "/").last?.prefix(1) ?? ""
            return (String(name), "\(line["id"] as? Int ?? 0)")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test func theDigestSaysWhatIsNewAndWhatItWaitsFor() async throws {
        let store = try await store()
        defer { store.remove() }
        let text = try await store.run("report", "misrouted", "--digest").output
        let row = "    2     now  unknown_fund    zoe@x.example"
        #expect(text.contains("4 wait, all new since ") && text.contains(row), "\(text)")
        #expect(text.contains(" --fund Fund1 --remember\n") && !text.contains("Mailboxes"), "\(text)")
        let html = try await store.run("report", "misrouted", "--digest", "--format", "html").output
        #expect(html.contains("[Fnud1]") && !html.contains("<b>") && !html.contains("<script"), "\(html)")
        #expect(html.contains("default-src 'none'") && !html.contains("href"))
        let object = try #require(
            try jsonLines(try await store.run("report", "misrouted", "--digest", "--format", "json").output).first)
        #expect(object["waiting"] as? Int == 4 && object["new"] as? Int == 4 && object["other_causes"] as? Int == 0)
        #expect((object["causes"] as? [[String: Any]])?.first?["count"] as? Int == 2)
        // The digest then counts what was done and what is put aside.
        #expect(try await store.run("misrouted", "reject", "--reason", "unknown_fund").isSuccess)
        let later = try await store.run("report", "misrouted", "--digest", "--since", "1h").output
        #expect(later.contains("2 wait, all new") && later.contains("0 by hand, 2 put aside."), "\(later)")
        for wrong in [["--format", "csv"], ["--full"], ["--reason", "no_tag"]] {
            let refused = try await store.program.run(store.arguments(["report", "misrouted", "--digest"] + wrong))
            #expect(refused.status == 64, "\(refused)")
        }
    }

    @Test func formatsAreSafe() async throws {
        let store = try await store()
        defer { store.remove() }
        let byName = try await ids(store)
        let both = try ["1", "2"].map { try #require(byName[$0].flatMap { Int($0) }) }.sorted()
        let table = try await store.run("report", "misrouted")
        #expect(table.output.contains("unknown_fund (2)") && table.output.contains("unknown_sender (2)"), "\(table)")
        #expect(
            table.output.contains("misrouted assign \(both[0]) \(both[1]) --fund Fund1 --remember"), "\(table.output)")
        #expect(table.output.contains("user address add USER stranger@x.example"))
        let html = try await store.run("report", "misrouted", "--format", "html").output
        #expect(html.contains("&lt;b&gt;") && !html.contains("<b>") && !html.contains("<script"))
        #expect(html.contains("default-src 'none'"))
        let csv = try await store.run("report", "misrouted", "--format", "csv").output
        #expect(csv.contains("\"'=cmd@x.example\"") && csv.contains("\"'+CMD no tag\""), "\(csv)")
        let json = try jsonLines(try await store.run("report", "misrouted", "--format", "json").output)
        #expect(json.count == 4 && json.contains { $0["subject"] as? String == Self.subject })
        let one = try await store.run(
            "report", "misrouted", "--reason", "unknown_fund", "--format", "json", "--since", "1h")
        #expect(try jsonLines(one.output).count == 2)
    }

    /// A cause is one line and one command, and a terminal is not filled with thousands of them.
    @Test func causesAreOneLineEach() async throws {
        let store = try await store()
        defer { store.remove() }
        func put(_ name: String, _ head: String) throws {
            let text = "\(head)\nMessage-ID: <\(name)@x>\n\nbody \(name)\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(store.mail)/\(name).eml"))
        }
        for number in 10..<35 {
            try put("\(number)", "From: Zoe@x.example\nSubject: no tag \(number)")
            try put("s\(number)", "From: stranger\(number)@x.example\nSubject: [Fund1] \(number)")
            try put("b\(number)", "From: daemon\(number)@x.example\nSubject: away\nAuto-Submitted: auto-replied")
        }
        #expect(try await store.replay().isSuccess)
        let report = try await store.run("report", "misrouted").output
        let lines = report.split(separator: "\n")
        #expect(lines.count < 70, "\(report)")
        #expect(report.contains("unknown_sender (27)") && report.contains("and 7 more of 7 further causes: --full"))
        let full = try await store.run("report", "misrouted", "--full").output
        #expect(!full.contains("further causes"))
        for number in 10..<35 { #expect(full.contains("user address add USER stranger\(number)@x.example")) }
        let json = try jsonLines(try await store.run("report", "misrouted", "--format", "json").output)
        #expect(json.count == 79)
        // All of a cause, by the command that the report gives.
        func command(_ words: String) throws -> [String] {
            let line = try #require(lines.first { $0.contains(words) }, "\(words): \(report)")
            return line.split(separator: " ").dropFirst().map(String.init)
        }
        let assign = try command("misrouted assign --reason no_tag --from zoe@x.example --up-to")
        // Mail that came since the report is not meant.
        try put("late", "From: zoe@x.example\nSubject: late")
        #expect(try await store.replay().isSuccess)
        #expect(assign.suffix(2) == ["--fund", "Fund1"])
        let assigned = try await store.program.run(assign)
        #expect(assigned.isSuccess && assigned.output.contains("25 filed, 0 still kept"), "\(assigned)")
        let rejected = try await store.program.run(try command("misrouted reject --reason auto_reply --up-to"))
        #expect(rejected.isSuccess && rejected.output.hasPrefix("25 put aside.\nTo undo: "), "\(rejected)")
        let undo = try #require(rejected.output.split(whereSeparator: \.isWhitespace).last)
        let undone = try await store.run("misrouted", "undo", String(undo))
        #expect(undone.isSuccess && undone.output == "25 messages are as before.\n", "\(undone)")
        let again = try await store.program.run(store.arguments(["misrouted", "undo", String(undo)]))
        #expect(!again.isSuccess && again.errors.contains("undid it before"), "\(again)")
        #expect(try await store.program.run(try command("misrouted reject --reason auto_reply --up-to")).isSuccess)
        #expect(try await store.run("user", "address", "add", "zoe@x.example", "stranger10@x.example").isSuccess)
        // One fund for the mail of many strangers, or for what is another's, is not filed by what it has in common.
        let strangers = ["--reason", "unknown-sender", "--fund", "Fund1", "--user", "zoe@x.example"]
        let several = try await store.program.run(store.arguments(["misrouted", "assign"] + strangers))
        #expect(several.status == 65 && several.errors.contains("give --from"), "\(several)")
        for words in [["user", "add", "kim@x.example"], ["fund", "add", "Other", "--owner", "kim@x.example"]] {
            #expect(try await store.program.run(store.arguments(words)).isSuccess)
        }
        let others = ["--reason", "unknown-fund", "--fund", "Other", "--user", "kim@x.example"]
        let anothers = try await store.program.run(store.arguments(["misrouted", "assign"] + others))
        #expect(anothers.status == 65 && anothers.errors.contains("give its number"), "\(anothers)")
        let retried = try await store.run(
            "misrouted", "retry", "--reason", "unknown-sender", "--from", "STRANGER10@x.example")
        #expect(retried.output.contains("1 filed, 0 still kept"), "\(retried)")
        let left = try jsonLines(try await store.run("report", "misrouted", "--format", "json").output)
        #expect(left.count == 29)
        #expect(left.contains { $0["subject"] as? String == "late" })
        for words in [
            ["assign", "--fund", "Fund1"], ["reject"], ["reject", "1", "--reason", "no_tag"],
            ["retry", "--reason", "x"],
        ] {
            let refused = try await store.program.run(store.arguments(["misrouted"] + words))
            #expect(refused.status == 64, "\(words): \(refused)")
        }
    }

    /// The address may be forged: it is not offered for registration, and not learned.
    @Test func whatNoServerConfirmedIsNotRegistered() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        var settings = try MailboxSettings("funds", url: "imaps://u@localhost:9")
        settings.lines = ["trust: {require: dmarc, authserv_id: mx.x.example}"]
        try store.configure(settings)
        for (name, result) in [("forged", "fail"), ("true", "pass")] {
            let text = """
                Authentication-Results: mx.x.example; dmarc=\(result) header.from=x.example
                From: \(name)@x.example
                Subject: [Fund1] \(name)

                Hello.

                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(store.mail)/\(name).eml"))
        }
        #expect(try await store.run("replay", "mail", "--as", "funds").isSuccess)
        for format in ["table", "json", "csv", "html"] {
            let report = try await store.run("report", "misrouted", "--format", format).output
            #expect(report.contains("USER true@x.example"), "\(report)")
            #expect(!report.contains("USER forged@x.example"), "\(report)")
        }
        let lines = try jsonLines(try await store.run("report", "misrouted", "--format", "json").output)
        #expect(lines.allSatisfy { $0["reason"] as? String == "unknown_sender" })
        let id = try #require(lines.first { $0["from"] as? String == "forged@x.example" }?["id"] as? Int)
        // Also after the rules were tried again.
        #expect(try await store.run("misrouted", "retry").isSuccess)
        let shown = try await store.run("misrouted", "show", "\(id)").output
        #expect(!shown.contains("address add"), "\(shown)")
        #expect(shown.contains("misrouted reject \(id)") && !shown.contains("misrouted assign"), "\(shown)")
        let order = ["misrouted", "assign", "\(id)", "--fund", "Fund1", "--user", "ann@example.com", "--remember"]
        let refused = try await store.program.run(store.arguments(order))
        #expect(
            refused.status == 65 && refused.errors.contains("may have forged")
                && refused.errors.contains("--despite-unverified"), "\(refused)")
        let assigned = try await store.program.run(store.arguments(order + ["--despite-unverified"]))
        #expect(assigned.isSuccess && assigned.output.contains("forged@x.example is not remembered"), "\(assigned)")
        let users = try await store.run("user", "list", "--json").output
        #expect(!users.contains("forged@x.example"))
    }

    /// The rules look at no tag of a stranger; the report tells its reader that there is such a fund.
    @Test func aStrangersTagIsNearTheFundOfThatName() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let text = "From: stranger@x.example\nSubject: Re: [Fund1] figures\n\nx\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(store.mail)/a.eml"))
        #expect(try await store.run("replay", "mail").isSuccess)
        let report = try await store.run("report", "misrouted").output
        let shown = try await store.run("misrouted", "show", "1").output
        for text in [report, shown] { #expect(text.contains("Fund1 of ann@example.com"), "\(text)") }
    }

    /// The report's words about mail that a service passed on stand with the one message, too.
    @Test(arguments: [("group-via", "passed on by a group"), ("certified-envelope", "certified mail")])
    func showsWhatPassedMailOn(name: String, words: String) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        #expect(try await store.run("replay", "\(PackageRoot.path)/Fixtures/mail/clients/\(name).eml").isSuccess)
        let report = try await store.run("report", "misrouted").output
        let shown = try await store.run("misrouted", "show", "1").output
        #expect(report.contains(words) && shown.contains(words), "\(report)\(shown)")
    }

    @Test func assignTeachesAndRetryFiles() async throws {
        let store = try await store()
        defer { store.remove() }
        let byName = try await ids(store)
        let ids = ["0", "1", "2", "3", "4"].map { byName[$0] ?? "0" }
        let assigned = try await store.run("misrouted", "assign", ids[1], "--fund", "fund1", "--remember")
        try #require(assigned.isSuccess, "\(assigned)")
        #expect(assigned.output.contains("[Fnud1] now finds [Fund1]"), "\(assigned.output)")
        #expect(assigned.output.contains("misrouted retry \(ids[2])"), "\(assigned.output)")
        let retried = try await store.run("misrouted", "retry", ids[2])
        #expect(retried.output.contains("1 filed, 0 still kept"), "\(retried)")
        let again = try await store.run("misrouted", "assign", ids[1], "--fund", "Fund1")
        #expect(again.status == 65, "\(again)")
        let taught = try await store.run(
            "misrouted", "assign", ids[3], "--fund", "Fund1", "--user", "zoe@x.example", "--remember")
        #expect(taught.output.contains("stranger@x.example is now an address of zoe@x.example"), "\(taught)")
        #expect(try await store.run("misrouted", "reject", ids[4], "--note", "spam").isSuccess)
        let left = try await store.run("report", "misrouted")
        #expect(left.output == "Nothing is misrouted.\n", "\(left.output)")
        let all = try await store.run("report", "misrouted", "--all", "--format", "json")
        #expect(try jsonLines(all.output).count == 4)
        let raw = try await store.run("misrouted", "show", ids[4], "--raw")
        #expect(raw.output.hasSuffix("body 4\n"), "\(raw)")
    }

    @Test func rehearsalStoresNothingAndExplainSaysWhy() async throws {
        let store = try await store()
        defer { store.remove() }
        try Data("From: zoe@x.example\nSubject: [Fund1] new\n\nx\n".utf8)
            .write(to: URL(fileURLWithPath: "\(store.mail)/5.eml"))
        let dry = try jsonLines(try await store.run("replay", "mail", "--dry-run", "--json").output)
        #expect(dry.count == 6 && dry.count { $0["outcome"] as? String == "duplicate" } == 4)
        let explained = try await store.run("explain", "mail/5.eml")
        #expect(explained.output.contains("filed into [Fund1] of zoe@x.example"), "\(explained)")
        let json = try jsonLines(try await store.run("explain", "mail/5.eml", "--json").output)
        #expect(json.first?["outcome"] as? String == "filed" && json.first?["steps"] != nil)
        let real = try jsonLines(try await store.replay().output)
        #expect(real.count { $0["outcome"] as? String == "filed" } == 1, "nothing of it was stored before")
        // A copy that came another way is known, too.
        let copy = "Received: by another\r\nFrom: zoe@x.example\r\nSubject: [Fund1] new\r\n\r\nx\r\n"
        try Data(copy.utf8).write(to: URL(fileURLWithPath: "\(store.mail)/6.eml"))
        let again = try jsonLines(try await store.run("replay", "mail/6.eml", "--dry-run", "--json").output)
        #expect(again.first?["outcome"] as? String == "duplicate", "\(again)")
        let known = try await store.run("explain", "mail/6.eml")
        #expect(known.output.contains("already"), "\(known)")
    }
}
