internal import Dispatch
internal import FundCore
internal import Foundation
import Synchronization

/// Waits until `condition` is true. Returns false when it did not become true within `limit`, by default four minutes:
/// a machine with much else to do takes twenty times as long, and only a test that fails waits for the end.
package func becomesTrue(
    within limit: Duration = .seconds(240), _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        if .now > end { return false }
        try await Task.sleep(for: .milliseconds(5))  // between two looks for the event
    }
    return true
}

/// Waits for something that happens soon; throws when it does not.
package func eventually(_ condition: () async throws -> Bool) async throws {
    guard try await becomesTrue(condition) else { throw ServerFailure("it did not happen") }
}

/// The first result of `look`, which is asked again and again for `limit` at most; blocks. Throws what `look` throws,
/// and the failure when there was no result.
package func firstResult<Value>(
    within limit: Duration = .seconds(240), orElse failure: @autoclosure () -> String, _ look: () throws -> Value?
) throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let result = try look() { return result }
        guard .now < end else { throw ServerFailure(failure()) }
        usleep(5_000)  // between two looks for the event
    }
}

/// Waits until the task is cancelled, and for nothing else.
package func untilCancelled() async {
    let (events, continuation) = AsyncStream<Never>.makeStream()
    for await _ in events {}
    continuation.finish()
}

/// Runs blocking code on a thread of its own: the few threads that asynchronous code and concurrent queues share are
/// needed by the server under test.
package func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await DispatchQueue.runAlone("fundmail.test.blocking", body)
}

/// Holds threads until it is opened.
package final class Gate: Sendable {
    private let condition = NSCondition()
    nonisolated(unsafe) private var isOpen = false  // under the condition's lock

    package init() {}

    package func wait() {
        condition.lock()
        defer { condition.unlock() }
        while !isOpen { condition.wait() }
    }

    package func open() {
        condition.lock()
        defer { condition.unlock() }
        isOpen = true
        condition.broadcast()
    }
}

/// A switch that several threads see; it can only be raised.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isRaised: Bool { value.load(ordering: .sequentiallyConsistent) }

    /// True for the caller that raised it.
    @discardableResult
    package func raise() -> Bool { !value.exchange(true, ordering: .sequentiallyConsistent) }
}

/// A number that several threads see; it only grows.
package final class Count: Sendable {
    private let value = Atomic(0)

    package init() {}

    package var number: Int { value.load(ordering: .sequentiallyConsistent) }

    package func grow() { value.add(1, ordering: .sequentiallyConsistent) }
}
