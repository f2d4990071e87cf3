import TestSupport
import Testing

@testable import FundCore

@Suite(.timeLimit(.minutes(5))) struct SignalTests {
    @Test func wakesAllThatWait() async throws {
        let signal = Signal()
        let waiting = (0..<100).map { _ in Task { try await signal.count(after: 0) } }
        #expect(try await becomesTrue { signal.waitingCount == 100 })
        signal.raise()
        for task in waiting { #expect(try await task.value == 1) }
        #expect(signal.waitingCount == 0)
    }

    /// A signal before the wait is not missed.
    @Test func waitsForNothingThatIsOver() async throws {
        let signal = Signal()
        signal.raise()
        signal.raise()
        #expect(try await signal.count(after: 1) == 2)
        #expect(try await signal.count(after: 0) == 2)
    }

    @Test func endsWithItsTask() async throws {
        let signal = Signal()
        let waiting = Task { try await signal.count(after: 0) }
        #expect(try await becomesTrue { signal.waitingCount == 1 })
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(signal.waitingCount == 0)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await signal.count(after: 0)
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }
}
