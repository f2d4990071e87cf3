internal import Dispatch

/// Runs what blocks on a thread of its own: the few threads that asynchronous code shares are needed by the server under test.
package func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
    }
}
