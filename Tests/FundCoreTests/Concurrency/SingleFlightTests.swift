import Synchronization
import Testing

@testable import FundCore

struct SingleFlightTests {
    /// The count of the tasks of a test, which they wait for.
    private final class Counter: Sendable {
        private let number = Mutex(0)

        var value: Int { number.withLock { $0 } }

        func add(_ count: Int) { number.withLock { $0 += count } }

        func wait(for count: Int) async throws {
            while value < count { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    /// Tasks that ask while the work is under way get its result.
    @Test
    func runsOnceForAllThatAsk() async throws {
        let flight = SingleFlight<String, Int>()
        let (begun, asking, released, repeated) = (Counter(), Counter(), Counter(), Counter())
        let first = Task<Int, any Error> {
            try await flight.run("a") {
                begun.add(1)
                try await released.wait(for: 1)
                return 7
            }
        }
        try await begun.wait(for: 1)
        let second = Task<Int, any Error> {
            asking.add(1)
            return try await flight.run("a") {
                repeated.add(1)
                return 8
            }
        }
        try await asking.wait(for: 1)
        // Another key does not wait.
        #expect(try await flight.run("b") { 9 } == 9)
        try await Task.sleep(for: .milliseconds(50))
        // A caller that is cancelled does not end the work for the others.
        first.cancel()
        released.add(1)
        #expect(try await second.value == 7)
        #expect(repeated.value == 0)
        // Work that has ended runs again.
        #expect(try await flight.run("a") { 10 } == 10)
    }

    @Test
    func givesTheErrorToAll() async throws {
        let flight = SingleFlight<Int, Int>()
        await #expect(throws: CancellationError.self) { _ = try await flight.run(1) { throw CancellationError() } }
        #expect(try await flight.run(1) { 1 } == 1)
    }
}
