import FundCore
import FundStore
import Foundation
import TestSupport
import Testing

/// `fundmail outbox` on a real store.
@Suite(.startsPrograms) struct OutboxCommandTests {
    /// A store with a letter in each state, whose ids are 1, 2, … in the order of `State.allCases`.
    private static func withLetters(_ body: (ReplayStore) async throws -> Void) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let rows = OutboxLetter.State.allCases.enumerated().map { index, state in
            let due = state.waits ? "\(Timestamp.now.rawValue)" : "NULL"
            return """
                (\(index + 1), 'filed', \(index + 1), 't\(index)', '\(state.rawValue)@example.com', 'm\(index)',
                    '\(state.rawValue)', \(state == .queued ? 0 : 3), \(Timestamp.now.rawValue - 60), \(due),
                    \(state == .queued ? "NULL" : "\(Timestamp.now.rawValue)"), '550 no \u{1B}[2J such user')
                """
        }
        try StoreSnapshot.execute(
            """
            INSERT INTO outbox (id, kind, cause, topic, recipient, mark, state, attempts, queued_at, due_at,
                changed_at, note)
            VALUES \(rows.joined(separator: ", "))
            """, in: store.store)
        try await body(store)
    }

    private static func number(of state: OutboxLetter.State) -> String {
        "\((OutboxLetter.State.allCases.firstIndex(of: state) ?? 0) + 1)"
    }

    @Test func listsAndShows() async throws {
        let empty = try await ReplayStore()
        defer { empty.remove() }
        let none = try await empty.run("outbox", "list")
        #expect(none.isSuccess && none.output.hasPrefix("No letter is on its way.\n"), "\(none)")
        #expect(none.output.contains("Letters are off: no smtp: in the configuration."))

        try await Self.withLetters { store in
            let table = try await store.run("outbox", "list").output
            for words in [
                "STATE", "deferred@example.com", "2 letters wait, the oldest since ", "1 failed: `fundmail --config ",
                "1 may have arrived: ", "550 no [2J such user",
            ] {
                #expect(table.contains(words), "\(words): \(table)")
            }
            let lines = try jsonLines(try await store.run("outbox", "list", "--state", "troubled", "--json").output)
            #expect(lines.map { $0["state"] as? String } == ["uncertain", "failed"])
            #expect(lines.first?["attempts"] as? Int == 3 && lines.first?["cause"] as? String == "filed")
            let hers = try await store.run("outbox", "list", "--to", "sent@example.com", "--json").output
            #expect(try jsonLines(hers).map { $0["state"] as? String } == ["sent"])
            for state in OutboxLetter.State.allCases {
                let shown = try await store.run("outbox", "show", Self.number(of: state))
                #expect(shown.isSuccess && shown.output.contains("\(state.rawValue)@example.com"), "\(shown)")
                #expect(shown.output.contains("mail that is gone"))
                let advises = shown.output.contains("outbox retry \(Self.number(of: state))")
                #expect(advises == ![.sending, .sent].contains(state), "\(shown)")
            }
            let unknown = try await store.run("outbox", "show", "99")
            #expect(unknown.status == 65 && unknown.errors.contains("99"), "\(unknown)")
        }
    }

    @Test func retriesAndDrops() async throws {
        try await Self.withLetters { store in
            func state(_ state: OutboxLetter.State) async throws -> String? {
                let line = try await store.run("outbox", "show", Self.number(of: state), "--json").output
                return try jsonLines(line).first?["state"] as? String
            }
            let failed = try await store.run("outbox", "retry", "--state", "failed")
            #expect(failed.isSuccess && failed.output.contains(": waits to be sent."), "\(failed)")
            #expect(failed.errors.contains("Letters are off"), "\(failed)")
            #expect(try await state(.failed) == "deferred")

            let number = Self.number(of: .uncertain)
            let refused = try await store.run("outbox", "retry", number)
            #expect(refused.status == 65 && refused.errors.contains("--may-arrive-twice"), "\(refused)")
            #expect(try await state(.uncertain) == "uncertain")
            #expect(try await store.run("outbox", "retry", number, "--may-arrive-twice").isSuccess)
            #expect(try await state(.uncertain) == "deferred")

            // The refusal of one letter does not hold up the others.
            let some = try await store.run(
                "outbox", "drop", Self.number(of: .sent), Self.number(of: .queued), "--json")
            #expect(some.status == 65, "\(some)")
            let lines = try jsonLines(some.output)
            #expect(lines.map { $0["result"] as? String } == ["refused", "dropped", nil])
            let summary = lines.last?["summary"] as? [String: any Sendable]
            #expect(summary?["dropped"] as? Int == 1 && summary?["refused"] as? Int == 1)
            let audit = try await store.run("audit", "--format", "json", "--action", "outbox").output
            #expect(
                try jsonLines(audit).map { $0["action"] as? String } == ["outbox.drop", "outbox.retry", "outbox.retry"])
            #expect(
                try await store.run("outbox", "drop", "--to", "nobody@example.com").output
                    == "There is no such letter.\n")
        }
    }

    @Test(arguments: [
        (["list", "--state", "lost"], "there are queued"), (["list", "--state", "faild"], "Did you mean failed?"),
        (["retry"], "Give the numbers of letters"), (["drop", "1", "--state", "failed"], "not both"),
    ])
    func saysWhatIsWrong(_ words: [String], _ says: String) async throws {
        let done = try await BuiltProgram().run(["outbox"] + words + ["--store", "/nowhere"])
        #expect(done.status == 64 && done.errors.contains(says), "\(done)")
    }
}
