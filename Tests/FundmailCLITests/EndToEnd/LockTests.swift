import Foundation
import TestSupport
import Testing

/// Several processes write at a time.
@Suite(.startsPrograms, .serialized) struct LockTests {
    /// Each message is filed once, whichever of them is first.
    @Test func twoReplaysOfOneFolderFileItOnce() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let mail = CrashMail.messages(200)
        try store.write(mail)
        async let one = store.replay()
        async let other = store.replay()
        let both = try await [one, other]
        for done in both { #expect(done.isSuccess, "\(done)") }
        let outcomes = try both.flatMap { try jsonLines($0.output).compactMap { $0["outcome"] as? String } }
        let filed = mail.count { $0.outcome == "filed" }
        #expect(outcomes.count { $0 == "filed" } == filed && outcomes.count == 2 * mail.count)
        #expect(try StoreSnapshot.rowCount(of: "email", in: store.store) == filed)
        let verified = try await store.run("verify")
        #expect(verified.output.contains("All is well"), "\(verified)")
    }

    @Test func aReplayRunsBesideAnother() async throws {
        let (store, holder) = try await busyStore()
        defer { store.remove() }
        defer { holder.kill() }
        let second = try await store.run("replay", "mail", "--json")
        try #require(holder.isRunning, "the first replay was over too early")
        #expect(second.isSuccess, "\(second)")
    }

    @Test func administrationWorksBesideAReplay() async throws {
        let (store, holder) = try await busyStore()
        defer { store.remove() }
        defer { holder.kill() }
        for words in [["user", "add", "new@example.com"], ["fund", "add", "Beside", "--owner", "new@example.com"]] {
            let done = try await store.program.run(store.arguments(words))
            #expect(done.isSuccess, "\(words): \(done)")
        }
        try #require(holder.isRunning, "the replay was over too early")
        let report = try await store.run("report", "misrouted", "--format", "json")
        #expect(report.isSuccess, "\(report)")
    }

    @Test func deathOfOneHindersNoOther() async throws {
        let (store, holder) = try await busyStore()
        defer { store.remove() }
        holder.kill()
        let died = try await holder.wait()
        #expect(died.wasKilled)
        let next = try await store.replay()
        #expect(next.isSuccess, "\(next)")
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    /// A store with a replay that is under way while its last message, standard input, is still to come.
    private func busyStore() async throws -> (ReplayStore, BuiltProgram.Running) {
        let store = try await ReplayStore()
        try store.write(CrashMail.messages(20))
        let holder = try store.program.start(store.arguments(["replay", "mail", "-", "--json"]), holdingInput: true)
        // Until it has the store: its first batch stands there after its age limit at the latest.
        _ = try await becomesTrue {
            try StoreSnapshot.rowCount(of: "message", in: store.store) > 0 || !holder.isRunning
        }
        try #require(holder.isRunning, "the replay ended: \(holder.errorsSoFar)")
        return (store, holder)
    }
}
