import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundStore

@Suite(.timeLimit(.minutes(10))) struct ReaderSharesTests {
    /// Count of jobs that one user runs at a time, now and at most.
    private final class Load: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var now: Int { counts.withLock { $0.now } }
        var most: Int { counts.withLock { $0.most } }

        func begin() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

        func end() { counts.withLock { $0.now -= 1 } }
    }

    private final class Order: Sendable {
        private let turns = Mutex<[User.ID]>([])

        var users: [User.ID] { turns.withLock { $0 } }

        func add(_ user: User.ID) { turns.withLock { $0.append(user) } }
    }

    private func hold(_ shares: ReaderShares, _ work: ReaderShares.Work, _ user: User.ID, _ load: Load, _ gate: Gate)
        async
        -> Bool
    {
        do {
            try await shares.run(work, for: user) {
                load.begin()
                gate.wait()
                load.end()
            }
            return true
        } catch {
            return false
        }
    }

    /// One user's searches, or lists, of any number leave readers to others.
    @Test(arguments: [(ReaderShares.Work.search, 1), (ReaderShares.Work.look, 2)])
    func nobodyTakesAll(_ work: ReaderShares.Work, _ most: Int) async throws {
        let (shares, load, gate) = (ReaderShares(), Load(), Gate())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<12 { group.addTask { await hold(shares, work, 1, load, gate) } }
            try await eventually { load.now >= most }
            // All those of the first user stand still.
            for _ in 0..<20 {
                #expect(try await shares.run(.look, for: 2) { 7 } == 7)
                #expect(try await shares.run(.search, for: 2) { 7 } == 7)
            }
            #expect(load.now == most)
            gate.open()
            for try await isDone in group { #expect(isDone) }
        }
        #expect(load.most == most)
    }

    /// However many users search, the readers that are left answer everything else.
    @Test func searchesLeaveReaders() async throws {
        let (shares, load, gate) = (ReaderShares(), Load(), Gate())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for user in Int64(1)...6 { group.addTask { await hold(shares, .search, User.ID(user), load, gate) } }
            try await eventually { load.now >= 2 }
            for user in Int64(1)...7 { #expect(try await shares.run(.look, for: User.ID(user)) { user } == user) }
            gate.open()
            for try await isDone in group { #expect(isDone) }
        }
        #expect(load.most == 2)
    }

    @Test func tooManySearchesOfOneUserAreRefused() async throws {
        let (shares, load, gate) = (ReaderShares(), Load(), Gate())
        let done = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { await hold(shares, .search, 1, load, gate) } }
            // One runs, sixteen wait.
            for _ in 0..<3 { #expect(try await group.next() == false) }
            #expect(try await shares.run(.search, for: 2) { 7 } == 7)
            gate.open()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(done == 17)
    }

    /// Each waiting user has a turn before any user has a second one.
    @Test func usersTakeTurns() async throws {
        let (shares, load, gate, last, order) = (ReaderShares(), Load(), Gate(), Gate(), Order())
        try await withThrowingTaskGroup(of: Void.self) { group in
            // All readers are taken, and one of them comes free.
            for user: User.ID in [91, 91, 92] {
                group.addTask { _ = await hold(shares, .look, user, load, last) }
            }
            group.addTask { _ = await hold(shares, .look, 92, load, gate) }
            try await eventually { load.now >= 4 }
            for user: User.ID in [1, 1, 1, 1, 2, 3] {
                group.addTask { try await shares.run(.look, for: user) { order.add(user) } }
            }
            try await eventually { shares.waiting >= 6 }
            gate.open()
            try await eventually { order.users.count >= 6 }
            last.open()
            try await group.waitForAll()
        }
        #expect(Set(order.users.prefix(3)) == [1, 2, 3])
    }
}
