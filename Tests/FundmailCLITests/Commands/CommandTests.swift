import ArgumentParser
import Foundation
import Terminal
import TestSupport
import Testing

@testable import FundmailCLI

/// The real program: arguments, exit statuses, what it says.
@Suite(.startsPrograms) struct CommandTests {
    private let folder = ReplayStore.newFolder()

    private func run(_ words: String...) async throws -> BuiltProgram.Finished {
        var program = BuiltProgram()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        program.workingFolder = folder
        return try await program.run(words)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    @Test func helpNamesEveryCommandAndTheFirstSteps() async throws {
        defer { remove() }
        let help = try await run("--help")
        #expect(help.isSuccess)
        for word in [
            "init", "user", "fund", "replay", "explain", "report", "misrouted", "verify", "export", "doctor", "contact",
            "fundmail init company", "--config", "--store", "--log-level", "--log-format",
        ] {
            #expect(help.output.contains(word), "\(word)")
        }
        for version in ["-v", "--version"] {
            #expect(try await run(version).output == "fundmail \(Release.version)\n")
        }
    }

    @Test(arguments: [
        ["init"], ["user"], ["user", "add"], ["user", "list"], ["user", "disable"], ["user", "enable"],
        ["user", "import"], ["user", "passwd"], ["user", "token"], ["user", "token", "list"],
        ["user", "token", "add-app"], ["user", "token", "revoke"], ["serve"],
        ["user", "address"], ["user", "address", "add"], ["user", "address", "answer"], ["user", "change"], ["fund"],
        ["fund", "add"], ["fund", "list"],
        ["fund", "rename"],
        ["fund", "archive"], ["fund", "alias"], ["replay"], ["explain"], ["report"], ["report", "misrouted"],
        ["misrouted"], ["misrouted", "show"], ["misrouted", "assign"], ["misrouted", "reject"], ["misrouted", "retry"],
        ["verify"], ["export"], ["doctor"], ["mailbox"], ["mailbox", "status"],
        ["contact"], ["contact", "list"], ["contact", "add"], ["contact", "remove"], ["contact", "import"],
    ])
    func everyCommandHasHelp(words: [String]) throws {
        let text = Fundmail.helpMessage(for: try #require(command(words)))
        #expect(text.contains("OVERVIEW: "), "\(words)")
        #expect(text.contains("USAGE: fundmail \(words.joined(separator: " "))"), "\(text)")
        let isGroup = text.contains("SUBCOMMANDS:")
        #expect(isGroup || text.contains("fundmail \(words.joined(separator: " "))"), "has an example")
        #expect(isGroup || text.contains("--config"), "knows the global options")
    }

    private func command(_ words: [String]) -> (any ParsableCommand.Type)? {
        words.reduce(Fundmail.self as (any ParsableCommand.Type)?) { type, word in
            type?.configuration.subcommands.first { $0.configuration.commandName == word }
        }
    }

    @Test(arguments: [
        (["--config", "f", "user", "list"], ["user", "list", "--config", "f"]),
        (["--config", "f", "mailbox", "list"], ["mailbox", "list", "--config", "f"]),
        (["user", "--store=d", "list", "--json"], ["user", "list", "--store=d", "--json"]),
        (["user", "list", "--config", "f"], ["user", "list", "--config", "f"]),
        (
            ["--log-level", "debug", "--config", "f", "replay", "--", "--config"],
            ["replay", "--log-level", "debug", "--config", "f", "--", "--config"]
        ),
        (["--config", "f"], []), (["--config", "f", "--help"], ["--help"]), (["--config"], ["--config"]), ([], []),
        (["fund", "add", "user", "--owner", "a"], ["fund", "add", "user", "--owner", "a"]),
    ])
    func globalOptionsStandAnywhere(words: [String], expected: [String]) {
        #expect(ArgumentOrder.globalsLast(words) == expected)
    }

    @Test func initIsHarmlessTwice() async throws {
        defer { remove() }
        #expect(try await run("init", "co").isSuccess)
        let before = try String(contentsOfFile: "\(folder)/co/fundmail.yaml", encoding: .utf8)
        let again = try await run("init", "co")
        #expect(again.isSuccess && again.output.contains("Left as it is"))
        #expect(try String(contentsOfFile: "\(folder)/co/fundmail.yaml", encoding: .utf8) == before)
        for words in [
            ["--config", "co/fundmail.yaml", "user", "list"], ["user", "list", "--config", "co/fundmail.yaml"],
        ] {
            let done = try await BuiltProgram.inFolder(folder).run(words)
            #expect(done.isSuccess, "\(done)")
        }
        #expect(try await run("--store", "co/store", "fund", "list").isSuccess, "needs no configuration")
        let doctor = try await run("doctor", "--config", "co/fundmail.yaml")
        #expect(doctor.isSuccess && doctor.output.contains("parser"), "\(doctor)")
    }

    @Test func statuses() async throws {
        defer { remove() }
        #expect(try await run("init").isSuccess)
        try write("store: store\nmailbox: 1\n", to: "bad.yaml")
        for (words, status, says) in [
            (["fnud"], 64, "fnud"), (["fund", "add", "X"], 64, "owner"),
            (["report", "misrouted", "--since", "x"], 64, "7d"),
            (["report", "misrouted", "--reason", "notag"], 64, "no_tag"),
            (["replay", "--as", "m", "."], 64, "mailbox m"),
            (["--config", "none.yaml", "user", "list"], 78, "none.yaml"),
            (["--config", "bad.yaml", "user", "list"], 78, "bad.yaml:2:1"),
            (["--store", "nowhere", "user", "list"], 78, "init"),
            (["user", "disable", "x@y.example"], 65, "x@y.example"),
            (["user", "add", "no address"], 65, "no address"),
            (["fund", "add", "F", "--owner", "x@y.example"], 65, "x@y.example"),
            (["replay", "missing.eml", "--json"], 65, "missing.eml"), (["misrouted", "show", "7"], 65, "7"),
            (["export", "F", "--to", "d"], 65, "F"), (["user", "import", "missing.csv"], 65, "missing.csv"),
        ] {
            let done = try await BuiltProgram.inFolder(folder).run(words)
            #expect(done.status == Int32(status) && !done.wasKilled, "\(words): \(done)")
            #expect(done.errors.contains(says), "\(words): \(done.errors)")
            #expect(!done.errors.contains("Error(") && !done.errors.contains("Optional("), "no dump: \(done.errors)")
        }
    }

    @Test func digestsOfAUser() async throws {
        defer { remove() }
        #expect(try await run("init").isSuccess)
        #expect(try await run("user", "add", "ann@x.example").isSuccess)
        func listed() async throws -> String { try await run("user", "list", "--json").output }
        #expect(try await listed().contains(#""news":"off","desk_digest":false,"language":null"#))
        let changed = try await run("user", "change", "ann@x.example", "--news", "at_once", "--language", "zh")
        #expect(changed.output == "ann@x.example is no administrator, and hears of news at once.\n")
        #expect(changed.errors.contains("letters are off"), "\(changed)")
        #expect(try await listed().contains(#""news":"at_once","desk_digest":false,"language":"zh""#))
        let refused = try await run("user", "change", "ann@x.example", "--desk-digest", "on")
        #expect(!refused.isSuccess && refused.errors.contains("administrators alone"), "\(refused)")
        let both = try await run("user", "change", "ann@x.example", "--admin", "--desk-digest", "on", "--news", "off")
        #expect(both.isSuccess)
        #expect(try await run("user", "list").output.contains("admin, desk digest"))
        for (option, word) in [("--news", "weekly"), ("--desk-digest", "yes"), ("--language", "de")] {
            #expect(try await run("user", "change", "ann@x.example", option, word).status == 64, "\(option)")
        }
        #expect(try await run("user", "change", "ann@x.example").status == 64)
    }

    @Test func receiptsOfAUser() async throws {
        defer { remove() }
        #expect(try await run("init").isSuccess)
        #expect(try await run("user", "add", "ann@x.example", "--address", "a@x.example").isSuccess)
        func listed() async throws -> String { try await run("user", "list", "--json").output }
        #expect(try await listed().contains(#""answered_addresses":[],"receipts":"mailbox""#))
        let changed = try await run("user", "change", "a@x.example", "--receipts", "problems")
        #expect(changed.output == "ann@x.example is no administrator, and gets receipts for mail that waits.\n")
        #expect(try await listed().contains(#""receipts":"problems""#))
        #expect(try await run("user", "change", "ann@x.example", "--receipts", "mailbox").isSuccess)
        #expect(try await listed().contains(#""receipts":"mailbox""#))
        #expect(try await run("user", "change", "ann@x.example", "--receipts", "some").status == 64)
        let answered = try await run("user", "address", "answer", "ann@x.example", "a@x.example")
        #expect(answered.output == "a@x.example is answered although nothing proves the sender.\n")
        #expect(try await listed().contains(#""answered_addresses":["a@x.example"]"#))
        #expect(try await run("user", "address", "answer", "ann@x.example", "b@x.example").isSuccess == false)
        #expect(try await run("user", "address", "answer", "ann@x.example", "a@x.example", "--off").isSuccess)
        #expect(try await listed().contains(#""answered_addresses":[]"#))
    }

    @Test func wrongLineOfAnImportChangesNothing() async throws {
        defer { remove() }
        #expect(try await run("init").isSuccess)
        try write("email,funds\na@x.example,Fund1\nnonsense,\n", to: "u.csv")
        let bad = try await run("user", "import", "u.csv")
        #expect(bad.status == 65 && bad.errors.contains("u.csv:3:"), "\(bad)")
        #expect(try await run("user", "list", "--json").output.isEmpty)
        try write("email,funds\na@x.example,Fund1\n", to: "u.csv")
        let rehearsed = try await run("user", "import", "u.csv", "--dry-run")
        #expect(rehearsed.isSuccess && rehearsed.output.contains("1 added"))
        #expect(try await run("user", "list", "--json").output.isEmpty)
        #expect(try await run("user", "import", "u.csv").output.contains("1 added"))
        #expect(try await run("user", "import", "u.csv").output.contains("1 unchanged"))
    }
}

extension BuiltProgram {
    fileprivate static func inFolder(_ folder: String) -> BuiltProgram {
        var program = BuiltProgram()
        program.workingFolder = folder
        return program
    }
}
