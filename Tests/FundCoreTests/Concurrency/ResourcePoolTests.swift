import Testing

@testable import FundCore

struct ResourcePoolTests {
    /// Two tasks may wait, one of each origin; the rest is refused.
    @Test
    func boundsWhatWaits() async throws {
        let pool = ResourcePool(["one"], maxWaiting: 2)
        let resource = try await pool.acquire(for: "a")
        let first = Task { try await pool.acquire(for: "a") }
        while pool.waitingCount < 1 { await Task.yield() }
        await #expect(throws: ResourcePoolError.full) { _ = try await pool.acquire(for: "a") }
        let second = Task { try await pool.acquire(for: "b") }
        while pool.waitingCount < 2 { await Task.yield() }
        await #expect(throws: ResourcePoolError.full) { _ = try await pool.acquire() }
        #expect(pool.release(resource))
        // In the order in which they asked.
        #expect(try await first.value == "one")
        #expect(pool.waitingCount == 1 && pool.idle.isEmpty)
        pool.release("one")
        #expect(try await second.value == "one")
        pool.release("one")
        #expect(pool.idle == ["one"])
    }

    /// Some wait before all others, in places of their own.
    @Test
    func letsSomeGoAhead() async throws {
        let pool = ResourcePool(["one"], maxWaiting: 2)
        let resource = try await pool.acquire()
        var tasks: [Task<String, any Error>] = []
        for (origin, isAhead) in [("a", false), ("b", false), ("c", true), ("d", true)] {
            tasks.append(Task { try await pool.acquire(for: origin, isAhead: isAhead) })
            while pool.waitingCount < tasks.count { await Task.yield() }
        }
        await #expect(throws: ResourcePoolError.full) { _ = try await pool.acquire(isAhead: true) }
        pool.release(resource)
        for index in [2, 3, 0, 1] {
            pool.release(try await tasks[index].value)
            #expect(pool.waitingCount == [2: 2, 3: 1, 0: 0, 1: 0][index])
        }
    }

    /// One origin leaves resources for others; who has fewer goes first; a wait may end.
    @Test
    func hasShares() async throws {
        let pool = ResourcePool(Array(0..<5), shares: PoolShares(origins: 4, most: 3))
        func waiting(_ origin: String, _ count: Int) async -> Task<Int, any Error> {
            let task = Task { try await pool.acquire(for: origin) }
            while pool.waitingCount < count { await Task.yield() }
            return task
        }
        let first = [try await pool.acquire(for: "a"), try await pool.acquire(for: "a")]
        await #expect(throws: ResourcePoolError.late) { _ = try await pool.acquire(for: "a", within: .zero) }
        let third = await waiting("a", 1)
        var others: [Int] = []
        for origin in ["b", "c", "d"] { others.append(try await pool.acquire(for: origin)) }
        let fourth = await waiting("d", 2)
        let fifth = await waiting("e", 3)
        // Neither may have another one while three are promised to others.
        pool.release(others[0], of: "b")
        pool.release(try await fifth.value, of: "e")
        #expect(pool.idle.count == 1 && pool.waitingCount == 2)
        pool.release(first[0], of: "a")
        // Both have one: who asked first has the next.
        pool.release(try await third.value, of: "a")
        pool.release(try await fourth.value, of: "d")
        for resource in others[1...] { pool.release(resource, of: resource == others[1] ? "c" : "d") }
        pool.release(first[1], of: "a")
        #expect(pool.idle.count == 5 && pool.waitingCount == 0)
    }

    @Test
    func refusesAllOnceItIsClosed() async throws {
        let pool = ResourcePool([1, 2])
        let used = try await pool.acquire()
        #expect(pool.close().count == 1)
        await #expect(throws: ResourcePoolError.closed) { _ = try await pool.acquire() }
        #expect(!pool.release(used))
        #expect(pool.idle.isEmpty)
    }

    @Test
    func endsWaitingWithItsTask() async throws {
        let pool = ResourcePool([1])
        let used = try await pool.acquire()
        let waiting = Task { try await pool.acquire() }
        while pool.waitingCount < 1 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        #expect(pool.release(used))
        #expect(pool.idle == [1])
    }
}
