import Synchronization
import TestSupport
import Testing

@testable import FundCore

struct SingleFlightTests {
    /// The count of the tasks of a test, which they wait for.
    private final class Counter: Sendable {
        private let number = Mutex(0)

        var value: Int { number.withLock { $0 } }

        func add(_ count: Int) { number.withLock { $0 += count } }

        func wait(for count: Int) async throws {
            try await eventually { value >= count }
        }
    }

    /// A key that counts how often it is looked up, which a flight does under its lock.
    private struct CountedKey: Hashable, Sendable {
        let name: String
        let lookups: Counter

        static func == (one: Self, other: Self) -> Bool { one.name == other.name }

        func hash(into hasher: inout Hasher) {
            lookups.add(1)
            hasher.combine(name)
        }
    }

    /// Tasks that ask while the work is under way get its result.
    @Test
    func runsOnceForAllThatAsk() async throws {
        let flight = SingleFlight<CountedKey, Int>()
        let (begun, lookups, released, repeated) = (Counter(), Counter(), Counter(), Counter())
        let key = CountedKey(name: "a", lookups: Counter())
        let first = Task<Int, any Error> {
            try await flight.run(key) {
                begun.add(1)
                try await released.wait(for: 1)
                return 7
            }
        }
        try await begun.wait(for: 1)
        let second = Task<Int, any Error> {
            try await flight.run(CountedKey(name: "a", lookups: lookups)) {
                repeated.add(1)
                return 8
            }
        }
        try await lookups.wait(for: 1)
        // Another key does not wait.
        #expect(try await flight.run(CountedKey(name: "b", lookups: Counter())) { 9 } == 9)
        // A caller that is cancelled does not end the work for the others.
        first.cancel()
        released.add(1)
        #expect(try await second.value == 7)
        #expect(repeated.value == 0)
        // Work that has ended runs again.
        #expect(try await flight.run(key) { 10 } == 10)
    }

    @Test
    func givesTheErrorToAll() async throws {
        let flight = SingleFlight<Int, Int>()
        await #expect(throws: CancellationError.self) { _ = try await flight.run(1) { throw CancellationError() } }
        #expect(try await flight.run(1) { 1 } == 1)
    }
}
