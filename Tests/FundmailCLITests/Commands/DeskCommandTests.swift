import Foundation
import TestSupport
import Testing

/// The acts of the desk by the command line: what puts a cause right, what is put off, and how all of it is undone.
@Suite(.startsPrograms) struct DeskCommandTests {
    private let store: ReplayStore

    init() async throws { store = try await ReplayStore() }

    private func put(_ mail: [(from: String, subject: String)]) async throws {
        for (number, one) in mail.enumerated() {
            let text = "From: \(one.from)\nSubject: \(one.subject)\nMessage-ID: <\(number)@x>\n\nbody \(number)\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(store.mail)/\(number).eml"))
        }
        let replayed = try await store.replay()
        try #require(replayed.isSuccess, "\(replayed)")
    }

    /// Numbers of the messages that wait, oldest first.
    private func waiting() async throws -> [String] {
        let lines = try jsonLines(try await store.run("report", "misrouted", "--format", "json").output)
        return lines.compactMap { $0["id"] as? Int }.sorted().map(String.init)
    }

    private func actions() async throws -> [String] {
        let lines = try jsonLines(try await store.run("audit", "--format", "json").output)
        return lines.compactMap { $0["action"] as? String }
    }

    private func undo(_ output: String) async throws -> BuiltProgram.Finished {
        let act = try #require(output.split(whereSeparator: \.isWhitespace).last)
        return try await store.run("misrouted", "undo", String(act))
    }

    @Test func registersASender() async throws {
        defer { store.remove() }
        try await put([("ann@home.example", "[Fund1] one"), ("ann@home.example", "[Fund1] two")])
        let ids = try await waiting()
        let order = ["misrouted", "register", ids[0], "--alike", "--user", "ann@example.com"]
        let done = try await store.program.run(store.arguments(order))
        try #require(done.isSuccess, "\(done)")
        #expect(done.output.contains("ann@home.example is now an address of ann@example.com."), "\(done)")
        #expect(done.output.contains("2 filed, 0 still kept."), "\(done)")
        #expect(try await waiting().isEmpty)
        let learnt = try #require(try jsonLines(try await store.run("misrouted", "learnt", "--json").output).first)
        #expect(learnt["name"] as? String == "ann@home.example", "\(learnt)")

        let undone = try await undo(done.output)
        #expect(undone.isSuccess, "\(undone)")
        #expect(try await waiting() == ids)
        let users = try await store.run("user", "list", "--json").output
        #expect(!users.contains("ann@home.example"), "\(users)")
    }

    @Test func createsAFund() async throws {
        defer { store.remove() }
        try await put([("ann@example.com", "[New Fund] one"), ("stranger@x.example", "[New Fund] two")])
        let ids = try await waiting()
        // The second waits for another cause, which says so and holds up nothing.
        let done = try await store.program.run(store.arguments(["misrouted", "create", "--json"] + ids))
        #expect(done.status == 65, "\(done)")
        let lines = try jsonLines(done.output)
        let results = lines.compactMap { $0["result"] as? String }.sorted()
        #expect(results == ["filed", "refused"], "\(lines)")
        #expect(lines.contains { $0["fund"] as? String == "New Fund" }, "\(lines)")
        let summary = try #require(lines.last?["summary"] as? [String: any Sendable])
        #expect(summary["filed"] as? Int == 1 && summary["refused"] as? Int == 1, "\(summary)")
        #expect(try await waiting().count == 1)
        #expect(try await actions().contains("fund.add"))
    }

    @Test func enablesASender() async throws {
        defer { store.remove() }
        #expect(try await store.run("user", "disable", "ann@example.com").isSuccess)
        try await put([("ann@example.com", "[Fund1] one")])
        let id = try #require(try await waiting().first)
        let unsure = try await store.run("misrouted", "enable", id)
        #expect(unsure.status == 65 && unsure.errors.contains("--confirm-address ann@example.com"), "\(unsure)")
        let done = try await store.run("misrouted", "enable", id, "--confirm-address", "ann@example.com")
        #expect(done.isSuccess && done.output.contains("filed into [Fund1] of ann@example.com"), "\(done)")
        let undone = try await undo(done.output)
        #expect(undone.isSuccess, "\(undone)")
        #expect(try await waiting() == [id])
    }

    @Test func putsOff() async throws {
        defer { store.remove() }
        try await put([("ann@example.com", "no tag")])
        let id = try #require(try await waiting().first)
        let done = try await store.run("misrouted", "later", id, "--until", "7d")
        #expect(done.isSuccess && done.output.hasPrefix("\(id) is put off until "), "\(done)")
        let acts = try jsonLines(try await store.run("misrouted", "acts", "--json").output)
        #expect(acts.map { $0["kind"] as? String } == ["later"], "\(acts)")
        #expect(try await store.run("misrouted", "later", id, "--now").output.hasPrefix("\(id) is shown again."))
        let table = try await store.run("misrouted", "acts").output
        #expect(table.hasPrefix("ACT") && table.contains("later"), "\(table)")
    }

    @Test func forgetsALesson() async throws {
        defer { store.remove() }
        try await put([("ann@example.com", "[Fnud1] one")])
        let id = try #require(try await waiting().first)
        #expect(try await store.run("misrouted", "assign", id, "--fund", "Fund1", "--remember").isSuccess)
        let learnt = try #require(try jsonLines(try await store.run("misrouted", "learnt", "--json").output).first)
        let lesson = String(try #require(learnt["id"] as? Int))
        let done = try await store.run("misrouted", "forget", lesson)
        #expect(done.output == "Fnud1 no longer leads to [Fund1] of ann@example.com.\n", "\(done)")
        #expect(try await store.run("misrouted", "forget", lesson).status == 65)
        #expect(try await store.run("misrouted", "learnt").output.contains("forgotten "))
    }

    @Test(arguments: [
        ["register", "1"], ["create"], ["create", "1", "2", "--alike"], ["later", "1"],
        ["later", "1", "--until", "2020-01-01"], ["later", "1", "--until", "7d", "--now"], ["acts", "--since", "soon"],
    ])
    func saysWhatIsMissing(words: [String]) async throws {
        defer { store.remove() }
        let done = try await store.program.run(store.arguments(["misrouted"] + words))
        #expect(done.status == 64, "\(words): \(done)")
    }
}
