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
