import FundStore
import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundmailCLI

/// Passwords and tokens, with the real program.
@Suite(.startsPrograms) struct UserAccessTests {
    private let folder = ReplayStore.newFolder()

    /// - Parameter rounds: cost of a password as a power of two, where not 0: as usual.
    private static func program(rounds: Int = 4) -> BuiltProgram {
        var program = BuiltProgram()
        program.environment = ["FUNDMAIL_HASH_LOG_ROUNDS": "\(rounds)"]
        return program
    }

    private func run(
        _ words: String..., input: String? = nil, rounds: Int = 4
    ) async throws -> BuiltProgram.Finished {
        var program = Self.program(rounds: rounds)
        if let input { program.prefix = ["/bin/sh", "-c", "printf %b '\(input)' | \"$0\" \"$@\""] }
        return try await program.run(words + ["--store", "\(folder)/store"])
    }

    /// Sets Ann's password at a terminal. Each text is typed once it is asked for and not shown: earlier input is
    /// thrown away.
    /// - Returns: what the terminal showed.
    private func typing(_ texts: String...) async throws -> String {
        let terminal = try PseudoTerminal()
        let running = try Self.program().start(
            ["user", "passwd", "ann@example.com", "--store", "\(folder)/store"], at: terminal)
        for (index, text) in texts.enumerated() {
            let isAsked = try await becomesTrue {
                let questions = terminal.shown.matches(of: /password of|same again/).count
                return questions > index && terminal.isSilent
            }
            #expect(isAsked, "\(terminal.shown)")
            try terminal.type(text)
        }
        _ = try await running.wait()
        return terminal.shown
    }

    private func hash() async throws -> String? {
        let store = try FundStore.open(at: "\(folder)/store", mode: .readOnly)
        return try await store.accounts.account(named: "ann@example.com")?.passwordHash
    }

    private func prepare() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try FundStore.open(at: "\(folder)/store", mode: .create)
        #expect(try await run("user", "add", "ann@example.com").isSuccess)
    }

    @Test func passwordsComeFromALine() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await prepare()
        #expect(try await run("user", "passwd", "ann@example.com").status == 65)
        let short = try await run("user", "passwd", "ann@example.com", input: "short\\n")
        #expect(short.status == 65 && short.errors.contains("10 characters"))
        #expect(try await hash() == nil)
        #expect(try await run("user", "passwd", "nobody@example.com", input: "correct horse\\n").status == 65)
        let set = try await run(
            "user", "passwd", "ann@example.com", input: "correct horse\\r\\nsecond line\\n", rounds: 0)
        #expect(set.isSuccess && !set.output.contains("correct"))
        let first = try await hash()
        #expect(first?.hasPrefix("$scrypt$ln=17,r=8,p=1$") == true)
        let generated = try await run("user", "passwd", "ann@example.com", "--generate")
        #expect(generated.isSuccess && generated.output.utf8.count == 25)
        #expect(try await hash() != first)
    }

    @Test func aTerminalAsksTwiceAndShowsNothing() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await prepare()
        let different = try await typing("correct horse\n", "correct hors\n")
        #expect(different.contains("not the same") && !different.contains("correct"), "\(different)")
        #expect(try await hash() == nil)
        let interrupted = try await typing("corr\u{3}")
        #expect(interrupted.contains("Interrupted"), "\(interrupted)")
        #expect(try await hash() == nil)
        let set = try await typing("correct horse\n", "nonsense\u{15}correct horsf\u{7F}e\n")
        #expect(set.contains("has a new password") && !set.contains("correct"), "\(set)")
        #expect(try await hash() != nil)
    }

    @Test func secondFactorsAreShownAndRemoved() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await prepare()
        let none = try await run("user", "second-factor", "show", "ann@example.com")
        #expect(none.output == "ann@example.com has no second factor.\n")
        let store = try FundStore.open(at: "\(folder)/store", mode: .existing)
        let user = try await store.administration.user("ann@example.com").user
        let token = try await store.accounts.addToken(
            NewToken(user: user.id, kind: .web, label: "t", digest: .of("t".utf8), createdAt: .now))
        let session = FactorSession(user: user.id, token: token.id, now: .now)
        let key = PasskeyKey(credential: [1], algorithm: -8, publicKey: [2])
        _ = try await store.accounts.addPasskey(
            NewPasskey(key: key, counter: 0, name: "Phone"), codes: [.of("a".utf8), .of("b".utf8)], in: session)
        try store.close()
        let table = try await run("user", "second-factor", "show", "ann@example.com")
        #expect(table.output.contains("passkey") && table.output.contains("Phone"))
        let lines = try await run("user", "second-factor", "show", "ann@example.com", "--json").output
        #expect(lines.contains(#""kind":"passkey","name":"Phone""#) && lines.contains(#""kind":"recovery-codes""#))
        #expect(lines.contains(#""left":2"#))
        let removed = try await run("user", "second-factor", "remove", "ann@example.com")
        #expect(removed.isSuccess && removed.output == "ann@example.com has no second factor any more.\n")
        let again = try await run("user", "second-factor", "remove", "ann@example.com")
        #expect(again.isSuccess && again.output == "ann@example.com had no second factor.\n")
        #expect(try await run("user", "second-factor", "remove", "nobody@example.com").status == 65)
        let audit = try await run("audit").output
        #expect(audit.contains("factor.reset"))
    }

    @Test func appPasswordsAreMadeListedAndRevoked() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await prepare()
        #expect(try await run("user", "token", "list", "ann@example.com").output == "ann@example.com has no tokens.\n")
        let made = try await run("user", "token", "add-app", "ann@example.com", "--label", "drive")
        #expect(made.isSuccess && made.output.utf8.count == 30)
        _ = try await run("user", "token", "add-app", "ann@example.com", "--label", "tablet", "--reach", "read")
        let list = try await run("user", "token", "list", "ann@example.com", "--json")
        #expect(list.output.split(separator: "\n").count == 2)
        #expect(list.output.contains(#""kind":"app","reach":"read","label":"tablet""#))
        #expect(
            list.output.contains(#""reach":"files","label":"drive""#) && !list.output.contains(made.output.prefix(29)))
        #expect(try await run("user", "token", "revoke", "ann@example.com").status == 64)
        #expect(try await run("user", "token", "revoke", "ann@example.com", "99").status == 65)
        #expect(try await run("user", "token", "revoke", "ann@example.com", "--label", "none").status == 65)
        #expect(try await run("user", "token", "revoke", "ann@example.com", "--label", "drive").isSuccess)
        #expect(try await run("user", "token", "list", "ann@example.com").output.contains("tablet"))
        #expect(try await run("user", "token", "revoke", "ann@example.com", "--all").isSuccess)
        #expect(try await run("user", "token", "list", "ann@example.com").output == "ann@example.com has no tokens.\n")
    }
}
