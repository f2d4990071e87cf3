import Foundation
import GRDB
import TestSupport
import Testing

@testable import FundClient

@Suite struct QueueTests {
    private final class Place: Sendable {
        let folder = FileManager.default.temporaryDirectory.path + "/fund-queue-\(UUID())"
        deinit { try? FileManager.default.removeItem(atPath: folder) }
        func queue() throws -> TransferQueue { TransferQueue(of: try Catalogue(in: folder)) }
    }

    private static func download(_ number: Int64) -> Transfer.Work {
        .download(Download(.file(FileID(number)), name: "\(number)"))
    }

    private static func order(_ queue: TransferQueue) async throws -> [Int64] {
        try await queue.transfers(in: [.waiting]).map(\.id.value)
    }

    /// A process does not take away transfers for which another waits; those for which none waits any more go on.
    @Test func batchesOfLivingProcessesAreLeftAlone() async throws {
        let place = Place()
        let work = Transfer.Work.upload(
            Upload("/tmp/a", to: .new(name: "a", fund: FundID(1), folder: nil, ifTaken: .refuse)))
        let (one, two, first) = (try place.queue(), try place.queue(), TransferBatch())
        let id = try await one.add([work], batch: first)
        let other = try await two.add([work], batch: TransferBatch())
        #expect(id != other)
        #expect(try await one.add([work], batch: first) == id)
        try await two.giveUp([work])
        #expect(try await one.isOpen(first))
        one.leave(first)
        #expect(try await two.add([work], batch: TransferBatch()) == id)
    }

    @Test func theOrderIsThatOfPrioritiesAndOfPeople() async throws {
        let place = Place()
        let queue = try place.queue()
        try await queue.add((1...4).map { Self.download($0) })
        try await queue.add([Self.download(5)], priority: 9)
        #expect(try await Self.order(queue) == [5, 1, 2, 3, 4])
        #expect(try await queue.move(TransferID(3), .up))
        #expect(try await Self.order(queue) == [5, 1, 3, 2, 4])
        #expect(try await queue.move(TransferID(1), .last))
        #expect(try await queue.move(TransferID(4), .first))
        #expect(try await Self.order(queue) == [5, 4, 3, 2, 1])
        #expect(try await queue.move(TransferID(3), .down))
        #expect(try await Self.order(queue) == [5, 4, 2, 3, 1])
        #expect(try await !queue.move(TransferID(5), .up))
        #expect(try await queue.prioritize([TransferID(1)], 10) == 1)
        #expect(try await Self.order(queue) == [1, 5, 4, 2, 3])
        // A transfer that is there already is not added again.
        #expect(try await queue.add([Self.download(2)]) == [TransferID(2)])
    }

    @Test func twoProcessesShareAQueueAndTakeOver() async throws {
        let place = Place()
        let (one, two) = (try place.queue(), try place.queue())
        try await one.add((1...10).map { Self.download($0) })
        let here = try ProcessMark(in: one.marks)
        var other: ProcessMark? = try ProcessMark(in: two.marks)
        let mine = try await one.claim(4, for: here).map(\.transfer.id.value)
        if let other {
            let others = try await two.claim(10, for: other).map(\.transfer.id.value)
            #expect(Set(mine).isDisjoint(with: others) && mine.count + others.count == 10)
        }
        try await one.reclaim()
        #expect(try await Self.order(one).isEmpty, "both live")
        other = nil
        try await one.reclaim()
        #expect(try await Self.order(one) == [5, 6, 7, 8, 9, 10])
        #expect(try await one.held(by: here).count == 4)
    }

    /// A runner whose transfer was taken over cannot write it.
    @Test func aLostTransferCannotBeWritten() async throws {
        let place = Place()
        let queue = try place.queue()
        let id = try await queue.add([Self.download(1)])[0]
        let mark = try ProcessMark(in: queue.marks)
        _ = try await queue.claim(1, for: mark)
        #expect(try await queue.pause([id]) == 1)
        let error = await #expect(throws: ClientError.self) {
            try await queue.finish(id, heldBy: mark, result: nil, size: 1, digest: nil, local: nil)
        }
        #expect(error?.code == .cancelled)
        #expect(try await queue.transfer(id)?.state == .paused)
    }

    @Test func delaysGrowWithJitterAndObeyTheServer() {
        var random = SeededGenerator(seed: 7)
        let backoff = Backoff(first: .seconds(1), most: .seconds(60))
        for failures in 1...40 {
            let bound = Duration.seconds(min(60, 1 << min(failures - 1, 20)))
            for _ in 0..<50 {
                #expect((.zero...bound).contains(backoff.delay(after: failures, using: &random)))
                #expect(backoff.delay(after: failures, asked: .seconds(90), using: &random) >= .seconds(90))
            }
        }
        let policy = FailurePolicy()
        #expect(policy.outcome(of: ClientError(.notFound, ""), attempts: 1) == .failed)
        #expect(policy.outcome(of: ClientError(.damaged, ""), attempts: 3) == .failed)
        #expect(policy.outcome(of: ClientError(.unauthenticated, ""), attempts: 1) == .stop)
        if case .again(let delay) = policy.outcome(of: ClientError(.busy, "", retryAfter: .seconds(30)), attempts: 1) {
            #expect(delay >= .seconds(30))
        } else {
            Issue.record("a busy server is asked again")
        }
    }
}
