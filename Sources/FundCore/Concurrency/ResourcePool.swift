internal import Synchronization

/// A fixed set of resources, each of which one task uses at a time: a semaphore that says which of its places is free.
/// Tasks wait in the order in which they ask.
package final class ResourcePool<Resource: Sendable>: Sendable {
    private struct Waiter {
        var id: UInt64
        var origin: String?
        var isAhead: Bool
        var continuation: CheckedContinuation<Resource, any Error>
    }

    private struct State {
        var idle: [Resource]
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
        var isClosed = false
    }

    private let maxWaiting: Int
    private let state: Mutex<State>

    /// - Parameter maxWaiting: how many tasks may wait; more are refused.
    package init(_ resources: [Resource], maxWaiting: Int = .max) {
        self.maxWaiting = maxWaiting
        state = Mutex(State(idle: resources))
    }

    /// The resources that no task uses.
    package var idle: [Resource] { state.withLock { $0.idle } }

    /// Tasks that wait.
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// A resource for this task, to be given back with `release`. Throws `ResourcePoolError`, and `CancellationError`
    /// when the task is cancelled while it waits.
    /// - Parameters:
    ///   - origin: at most half of the places for waiting tasks are for one origin; nil may take all.
    ///   - isAhead: waits before all others that are not, in places of its own.
    package func acquire(for origin: String? = nil, isAhead: Bool = false) async throws -> Resource {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Resource, any Error>? = state.withLock { state in
                    if state.isClosed { return .failure(ResourcePoolError.closed) }
                    // Under the lock: a cancellation before this finds no waiter, one after it finds this.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let resource = state.idle.popLast() { return .success(resource) }
                    guard hasRoom(for: origin, isAhead, state) else { return .failure(ResourcePoolError.full) }
                    let waiter = Waiter(id: id, origin: origin, isAhead: isAhead, continuation: continuation)
                    let place = isAhead ? state.waiters.firstIndex { !$0.isAhead } : nil
                    state.waiters.insert(waiter, at: place ?? state.waiters.endIndex)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func hasRoom(for origin: String?, _ isAhead: Bool, _ state: State) -> Bool {
        let others = state.waiters.lazy.filter { $0.isAhead == isAhead }
        guard others.count < maxWaiting else { return false }
        return origin == nil || others.count { $0.origin == origin } < maxWaiting - maxWaiting / 2
    }

    /// Gives a resource back. False when the pool was closed in the meantime: the caller has to end the resource.
    @discardableResult
    package func release(_ resource: Resource) -> Bool {
        let (waiter, isOpen): (Waiter?, Bool) = state.withLock { state in
            if state.isClosed { return (nil, false) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), true) }
            state.idle.append(resource)
            return (nil, true)
        }
        waiter?.continuation.resume(returning: resource)
        return isOpen
    }

    /// Refuses all tasks from now on, those that wait included. Gives the idle resources, which the caller has to end.
    package func close() -> [Resource] {
        let (waiters, idle) = state.withLock { state in
            state.isClosed = true
            defer { (state.waiters, state.idle) = ([], []) }
            return (state.waiters, state.idle)
        }
        for waiter in waiters { waiter.continuation.resume(throwing: ResourcePoolError.closed) }
        return idle
    }
}

/// The reason for which a task gets no resource of a `ResourcePool`.
package enum ResourcePoolError: Error, Hashable {
    /// Too many tasks wait already, or too many of this origin.
    case full
    case closed
}
