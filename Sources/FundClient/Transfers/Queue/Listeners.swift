internal import Synchronization

/// Who wants to be told that something is new.
final class Listeners: Sendable {
    private struct State {
        var next = 0
        var all: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    func tell() {
        let all = state.withLock { Array($0.all.values) }
        for listener in all { listener.yield() }
    }

    /// An element for one or more calls of `tell`.
    func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            state.all[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.all[number] = nil }
        }
        return stream
    }
}
