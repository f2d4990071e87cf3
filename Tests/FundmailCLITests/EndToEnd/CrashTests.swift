import Foundation
import FundCore
import TestSupport
import Testing

/// The process dies by SIGKILL before and after every durable step; the next run ends in the same state as if it had
/// not.
@Suite(.startsPrograms, .serialized) struct CrashTests {
    /// Small enough that 44 messages make six batches; two at least, however slow the disk is.
    private static let batch = ["FUNDMAIL_BATCH": "8"]

    /// The first time, and one in the middle of the run: per message or record, or per batch.
    static let moments: [(FaultPoint, Int)] = FaultPoint.allCases.flatMap { point -> [(FaultPoint, Int)] in
        switch point {
        case .beforeSpoolWrite, .afterSpoolWrite, .beforeAppend, .afterAppend: [(point, 1), (point, 13)]
        case .afterReclaim, .afterOldDatabase, .afterUpdateDraft, .afterUpdateCopy, .afterUpdateStep, .afterUpdate: []
        case .afterObjectRow, .afterObjectPut, .afterObjectWhole, .beforeFileGoes, .afterFileCame, .afterObjectGone: []
        case .afterCopiedTable, .afterCopiedRows, .afterComparedRows, .afterOtherEngine: []
        case .beforeBarrier, .afterBarrier, .beforeCommit, .afterCommit, .beforeAcknowledge, .afterAcknowledge:
            [(point, 1), (point, 2)]
        }
    }

    @Test(arguments: moments) func diesAtPoint(point: FaultPoint, number: Int) async throws {
        let reference = try await CrashReference.small.value
        let store = try reference.empty.copy().with(Self.batch)
        defer { store.remove() }

        let died = try await store.with(["FUNDMAIL_FAILPOINT": "\(point.rawValue):\(number)"]).replay()
        try #require(died.wasKilled && died.status == SIGKILL, "\(point) was not reached \(number) times: \(died)")
        try await reference.expectCompletion(of: store)
    }

    /// A run that completes must not pass for one that died.
    @Test func unknownPointIsRefused() async throws {
        let reference = try await CrashReference.small.value
        let store = try reference.empty.copy()
        defer { store.remove() }
        let done = try await store.with(["FUNDMAIL_FAILPOINT": "before_lunch"]).replay()
        #expect(!done.isSuccess)
        #expect(done.errors.contains("before_lunch"))
    }

    /// `scripts/campaign/kill-replay` sets the numbers; without it a short form.
    @Test(.timeLimit(.minutes(60))) func diesAtRandomMoments() async throws {
        let environment = ProcessInfo.processInfo.environment
        func number(_ name: String, _ short: Int) -> Int { environment[name].flatMap { Int($0) } ?? short }
        let (kills, seed) = (number("FUNDMAIL_KILLS", 12), number("FUNDMAIL_KILL_SEED", 1))
        let reference = try await CrashReference(messages: number("FUNDMAIL_KILL_MESSAGES", 100))
        var generator = SeededGenerator(seed: UInt64(seed))
        var (done, missed) = (0, 0)
        while done < kills {
            let store = try reference.empty.copy()
            defer { store.remove() }
            // Up to four deaths before the store gets to its end: a run that dies while it mends what the last one
            // left.
            for _ in 0..<min(4, kills - done) {
                let delay = Double.random(in: 0..<reference.seconds, using: &generator)
                let died = try await store.replay(killAfter: delay)
                if died.wasKilled { done += 1 } else { missed += 1 }
                if !died.wasKilled { try #require(died.status == 0, "\(died)") }
            }
            try await reference.expectCompletion(of: store)
            try #require(missed <= kills + 10, "most runs are over before they are killed: \(missed), \(done) killed")
        }
        print("killed \(done) times over \(reference.seconds) s, \(missed) more runs were through before")
    }
}

/// A store before and after an undisturbed replay.
struct CrashReference: Sendable {
    static let small = Task { try await CrashReference(messages: 40, environment: ["FUNDMAIL_BATCH": "8"]) }

    /// Initialised, with accounts, and the mail beside it.
    let empty: ReplayStore
    let final: StoreSnapshot
    /// The counts that `verify` and a second replay must agree on.
    let outcomes: [String: Int]
    let seconds: Double

    init(messages count: Int, environment: [String: String] = [:]) async throws {
        empty = try await ReplayStore()
        let mail = CrashMail.messages(count)
        try empty.write(mail)
        let store = try empty.copy().with(environment)
        defer { store.remove() }
        let done = try await store.replay()
        try #require(done.isSuccess, "\(done)")
        seconds = done.seconds
        outcomes = Dictionary(mail.map { ($0.outcome, 1) }, uniquingKeysWith: +)
        let seen = try jsonLines(done.output).compactMap { $0["outcome"] as? String }
        #expect(Dictionary(seen.map { ($0, 1) }, uniquingKeysWith: +) == outcomes)
        final = try store.snapshot()
        #expect(final.wrongFiles.isEmpty)
        #expect(final.leftovers.isEmpty)
        #expect(final.rows["email"]?.count == outcomes["filed"])
    }

    /// Replays again, which must succeed, and compares.
    func expectCompletion(of store: ReplayStore, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let again = try await store.replay()
        try #require(again.isSuccess, "the replay after the crash failed: \(again)", sourceLocation: sourceLocation)
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "verify: \(verified)", sourceLocation: sourceLocation)
        let snapshot = try store.snapshot()
        #expect(snapshot == final, "\(snapshot.difference(from: final))", sourceLocation: sourceLocation)
    }
}
