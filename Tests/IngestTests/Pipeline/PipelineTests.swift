import TestSupport
import Foundation
import Synchronization
import Testing

@testable import FundCore
@testable import Ingest

/// The loop alone, with a store and a parser in memory: what it batches, commits, acknowledges and gives up.
@Suite struct PipelineTests {
    @Test(arguments: [0, 1, 511, 512, 513, 2000])
    func everyMessageIsCommittedOnceAndThenAcknowledged(_ count: Int) async throws {
        let (store, source) = (MemoryStore(), CountingSource(count: count))
        let summary = try await pipeline(store).run(source)
        #expect(summary.seen == count)
        #expect(summary.count(.misrouted) == count)
        #expect(store.committed.map(\.place) == (0..<count).map { "\($0)" }, "in the order of the source")
        #expect(source.acknowledged == store.committed)
        // Chunks that are under way when a batch is full still come into it.
        #expect(store.batchSizes.allSatisfy { $0 <= BatchLimits().maxMessages + 5 * 8 })
    }

    /// Behind the last batch nothing else goes on: near the end of its source the pipeline does not wait for 512.
    @Test func theLastBatchesAreSmall() async throws {
        let store = MemoryStore()
        // The end comes after a first batch.
        let source = CountingSource(count: 164, tellsLeft: true) { $0 < 144 || store.committed.count >= 128 }
        var limits = BatchLimits()
        limits.maxAge = .seconds(600)
        #expect(try await pipeline(store, limits).run(source).seen == 164)
        #expect((128...144).contains(try #require(store.batchSizes.first)), "\(store.batchSizes)")
        #expect(store.committed.map(\.place) == (0..<164).map { "\($0)" })
    }

    @Test func aMessageThatCannotBeHadIsToldAndTheOthersGoOn() async throws {
        let (store, source) = (MemoryStore(), CountingSource(count: 20, broken: 7))
        let failed = Mutex<[String]>([])
        let summary = try await pipeline(store).run(
            source,
            onEvent: { event in
                if case .failed(let reference, _) = event { failed.withLock { $0.append(reference.place) } }
            })
        #expect(summary.failed == 1)
        #expect(failed.withLock { $0 } == ["7"])
        #expect(store.committed.count == 19)
    }

    @Test func aFullDiskEndsTheRunAndLeavesTheRestAtTheSource() async throws {
        let (store, source) = (MemoryStore(failsAfter: 30), CountingSource(count: 100))
        var limits = BatchLimits()
        limits.maxMessages = 10
        let failure = await #expect(throws: IngestError.self) {
            try await pipeline(store, limits).run(source)
        }
        #expect((failure?.underlying as? DiskError)?.isOutOfSpace == true)
        #expect(failure?.summary.seen == store.committed.count)
        #expect(source.acknowledged == store.committed)
        #expect(store.committed.count >= 20 && store.committed.count <= 30)
    }

    /// The rows of every third message do not fit, or count on a file that went with another message: the others are
    /// filed, and its files do not stay.
    @Test(arguments: [StoreError.Code.outOfSpace, .stale])
    func aFullDiskFilesWhatFits(_ code: StoreError.Code) async throws {
        let (store, source) = (MemoryStore(refusal: code, fits: { $0 % 3 != 0 }), CountingSource(count: 20))
        var limits = BatchLimits()
        limits.maxAge = .seconds(60)
        let failure = await #expect(throws: IngestError.self) { try await pipeline(store, limits).run(source) }
        #expect((failure?.underlying as? StoreError)?.code == code)
        let places = store.committed.compactMap { Int($0.place) }
        #expect(places.count >= 10 && places.allSatisfy { $0 % 3 != 0 }, "\(places)")
        #expect(places == places.sorted())
        #expect(source.acknowledged == store.committed)
        #expect(failure?.summary.seen == store.committed.count)
        #expect(!store.abandoned.isEmpty && store.abandoned.allSatisfy { $0 % 3 == 0 }, "\(store.abandoned)")
    }

    /// The rows of every third message fall on a page of the database that cannot be read or written.
    @Test func aDamagedPageCostsTheMessagesWhoseRowsAreThere() async throws {
        let (store, source) = (MemoryStore(refusal: .corrupted, fits: { $0 % 3 != 0 }), CountingSource(count: 200))
        let failed = Mutex<[Int]>([])
        let summary = try await pipeline(store).run(
            source,
            onEvent: { event in
                if case .failed(let reference, _) = event { failed.withLock { $0 += [Int(reference.place) ?? -1] } }
            })
        #expect(failed.withLock { $0 }.sorted() == (0..<200).filter { $0 % 3 == 0 })
        #expect(store.committed.compactMap { Int($0.place) } == (0..<200).filter { $0 % 3 != 0 })
        #expect(source.acknowledged == store.committed)
        #expect(summary.failed == 67 && store.abandoned.isEmpty)
    }

    @Test func aDatabaseThatTakesNothingEndsTheRun() async throws {
        let (store, source) = (MemoryStore(refusal: .corrupted, fits: { _ in false }), CountingSource(count: 20))
        let failure = await #expect(throws: IngestError.self) { try await pipeline(store).run(source) }
        #expect((failure?.underlying as? StoreError)?.code == .corrupted)
        #expect(source.acknowledged.isEmpty)
    }

    @Test func aFailedCommitAcknowledgesNothing() async throws {
        let (store, source) = (MemoryStore(failsCommit: true), CountingSource(count: 10))
        await #expect(throws: IngestError.self) { try await pipeline(store).run(source) }
        #expect(source.acknowledged.isEmpty)
    }

    @Test func stoppingFinishesWhatWasBegun() async throws {
        let (store, source) = (MemoryStore(), CountingSource(count: 1000))
        let summary = try await pipeline(store).run(source, shouldStop: { source.given >= 100 })
        #expect(summary.wasInterrupted)
        #expect(summary.seen == store.committed.count)
        #expect((100..<150).contains(summary.seen))
    }

    @Test func aBatchDoesNotWaitLongForOthers() async throws {
        var limits = BatchLimits()
        limits.maxAge = .milliseconds(20)
        let store = MemoryStore()
        // The second message comes only when the first is in a batch of its own: no clock decides.
        let source = CountingSource(count: 2, comesAfter: { store.batchSizes.reduce(0, +) >= $0 })
        _ = try await pipeline(store, limits).run(source)
        #expect(store.batchSizes == [1, 1])
    }

    @Test func aMessageThatItsSourceRefusesIsRecordedWithThatReason() async throws {
        let (store, source) = (MemoryStore(), CountingSource(count: 3, refused: 1))
        let summary = try await pipeline(store).run(source)
        #expect(summary.count(.rejected) == 1 && summary.reasons[.tooLarge] == 1)
        #expect(summary.count(.misrouted) == 2)
        #expect(source.acknowledged.count == 3)
    }

    @Test func theSourceFinishesOnceAfterTheLastAcknowledgement() async throws {
        let source = CountingSource(count: 600)
        _ = try await pipeline(MemoryStore()).run(source)
        #expect(source.finishedAfter == [600])
    }

    @Test func whatTheServerRefusedAtTheEndIsAFailureOfARunThatFiled() async throws {
        let (store, source) = (MemoryStore(), CountingSource(count: 5, failsToFinish: true))
        let failure = await #expect(throws: IngestError.self) { try await pipeline(store).run(source) }
        #expect(failure?.underlying is Unreadable)
        #expect(failure?.summary.seen == 5 && store.committed.count == 5)
    }

    private func pipeline(_ store: MemoryStore, _ limits: BatchLimits = BatchLimits()) -> IngestPipeline {
        IngestPipeline(
            store: store, parser: EmptyParser(concurrency: 2), policy: RoutingPolicy(trust: .vouched),
            batchLimits: limits)
    }
}

private struct Unreadable: Error {}

private final class CountingSource: MessageSource {
    private let count: Int
    private let broken: Int?
    private let comesAfter: @Sendable (_ number: Int) -> Bool
    private let refused: Int?
    private let failsToFinish: Bool
    private let tellsLeft: Bool
    private let state = Mutex((next: 0, acknowledged: [SourceReference](), finished: [Int]()))

    /// Message `number` is given once `comesAfter` says so, or after a minute, so that nothing hangs.
    init(
        count: Int, broken: Int? = nil, refused: Int? = nil, failsToFinish: Bool = false, tellsLeft: Bool = false,
        comesAfter: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) {
        (self.count, self.broken, self.comesAfter) = (count, broken, comesAfter)
        (self.refused, self.failsToFinish, self.tellsLeft) = (refused, failsToFinish, tellsLeft)
    }

    /// How many were acknowledged at each call of `finish`.
    var finishedAfter: [Int] { state.withLock { $0.finished } }

    var given: Int { state.withLock { $0.next } }
    var acknowledged: [SourceReference] { state.withLock { $0.acknowledged } }

    func next(atMost limit: Int) async throws -> [PendingMessage] {
        _ = try await becomesTrue { comesAfter(given) }
        let numbers = state.withLock { state in
            let start = state.next
            state.next = start < count ? start + 1 : start
            while state.next < min(start + limit, count), comesAfter(state.next) { state.next += 1 }
            return start..<state.next
        }
        return numbers.map { number in
            let refusal = number == refused ? Refusal(reason: .tooLarge, detail: "too large") : nil
            var message = PendingMessage(reference: SourceReference(place: "\(number)"), refusal: refusal) {
                [broken] spool in
                if number == broken { throw Unreadable() }
                var writer = spool.makeWriter()
                try Array("\(number)".utf8).withUnsafeBytes { try writer.append($0) }
                return writer.finish()
            }
            if tellsLeft { message.left = count - number - 1 }
            return message
        }
    }

    func acknowledge(_ messages: [StoredMessage]) {
        state.withLock { $0.acknowledged += messages.map(\.message.reference) }
    }

    func finish() throws {
        state.withLock { $0.finished.append($0.acknowledged.count) }
        if failsToFinish { throw Unreadable() }
    }
}

private final class MemoryStore: IngestStore {
    let spool = SpoolDirectory(path: "/tmp")
    private let failsAfter: Int
    private let failsCommit: Bool
    private let refusal: StoreError.Code
    /// Whether a message at this place can be stored; if not, commits fail with `refusal`.
    private let fits: @Sendable (Int) -> Bool
    private let state = Mutex((staged: 0, batches: [[SourceReference]](), abandoned: [Int]()))

    init(
        failsAfter: Int = .max, failsCommit: Bool = false, refusal: StoreError.Code = .outOfSpace,
        fits: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) {
        (self.failsAfter, self.failsCommit, self.refusal, self.fits) = (failsAfter, failsCommit, refusal, fits)
    }

    private static func places(_ batch: [StagedMessage]) -> [Int] {
        batch.compactMap { Int($0.message.reference.place) }
    }

    var abandoned: [Int] { state.withLock { $0.abandoned } }

    func abandon(_ batch: [StagedMessage]) { state.withLock { $0.abandoned += Self.places(batch) } }

    var committed: [SourceReference] { state.withLock { $0.batches.flatMap { $0 } } }
    var batchSizes: [Int] { state.withLock { $0.batches.map(\.count) } }

    func attempt(ofReturnPath address: String) -> OutboxAttempt? {
        address == "funds+b.7.1.x@corp.example" ? OutboxAttempt(letter: 7, number: 1) : nil
    }

    func directory() -> RoutingDirectory { RoutingDirectory(users: [], addresses: [], funds: []) }

    func stage(
        _ message: RoutedMessage,
        readAttachment: (Int, (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage {
        let number = state.withLock { state in
            state.staged += 1
            return state.staged
        }
        if number > failsAfter { throw DiskError("write", "x", code: ENOSPC) }
        return StagedMessage(message: message, stagedBytes: 1)
    }

    func commit(_ batch: [StagedMessage]) throws -> [StoredMessage] {
        if failsCommit { throw DiskError("fsync", "x", code: EIO) }
        guard Self.places(batch).allSatisfy(fits) else { throw StoreError(refusal, "commit", "it is refused") }
        state.withLock { $0.batches.append(batch.map(\.message.reference)) }
        return batch.map {
            StoredMessage(
                message: $0.message, outcome: $0.message.decision.outcome, reason: $0.message.decision.reason,
                emailID: nil, misrouteID: 1)
        }
    }
}
