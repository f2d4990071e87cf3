internal import Synchronization

/// A fixed set of resources, each of which one task uses at a time: a semaphore that says which of its places is free.
/// Tasks wait in the order in which they ask; with shares those go first whose origin has the fewest resources.
package final class ResourcePool<Resource: Sendable>: Sendable {
    private struct Waiter {
        var id: UInt64
        var origin: String?
        var isAhead: Bool
        var continuation: CheckedContinuation<Resource, any Error>
        /// Ends the wait after its time.
        var timer: Task<Void, Never>?

        func resume(_ result: Result<Resource, any Error>) {
            timer?.cancel()
            continuation.resume(with: result)
        }
    }

    private struct State {
        let shares: PoolShares?
        var idle: [Resource]
        /// Resources that tasks of an origin use.
        var used: [String: Int] = [:]
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
        var isClosed = false

        func count(_ origin: String?) -> Int { origin.flatMap { used[$0] } ?? 0 }

        mutating func take(for origin: String?) -> Resource? {
            guard let origin, let shares else { return idle.popLast() }
            let count = count(origin)
            guard shares.allow(count, of: used.count, idle: idle.count), let resource = idle.popLast() else {
                return nil
            }
            used[origin] = count + 1
            return resource
        }

        mutating func giveBack(_ resource: Resource, of origin: String?) {
            if let origin, let count = used[origin] { used[origin] = count > 1 ? count - 1 : nil }
            idle.append(resource)
        }

        /// The next task that may have a resource, with it.
        mutating func next() -> (waiter: Waiter, resource: Resource)? {
            guard shares != nil else {
                return waiters.isEmpty ? nil : idle.popLast().map { (waiters.removeFirst(), $0) }
            }
            let order = waiters.indices.sorted { first, second in
                let (one, other) = (waiters[first], waiters[second])
                if one.isAhead != other.isAhead { return one.isAhead }
                return (count(one.origin), first) < (count(other.origin), second)
            }
            for index in order {
                if let resource = take(for: waiters[index].origin) { return (waiters.remove(at: index), resource) }
            }
            return nil
        }
    }

    private let maxWaiting: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - maxWaiting: how many tasks may wait; more are refused.
    ///   - shares: bounds of what the tasks of one origin use; nil for none.
    package init(_ resources: [Resource], maxWaiting: Int = .max, shares: PoolShares? = nil) {
        self.maxWaiting = maxWaiting
        state = Mutex(State(shares: shares, idle: resources))
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
    ///   - limit: the longest wait, after which `ResourcePoolError.late` is thrown; nil for none.
    package func acquire(
        for origin: String? = nil, isAhead: Bool = false, within limit: Duration? = nil
    ) async throws -> Resource {
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
                    if let resource = state.take(for: origin) { return .success(resource) }
                    guard hasRoom(for: origin, isAhead, state) else { return .failure(ResourcePoolError.full) }
                    let timer = limit.map { limit in
                        Task {
                            guard (try? await Task.sleep(for: limit)) != nil else { return }
                            self.endWait(id, ResourcePoolError.late)
                        }
                    }
                    let waiter = Waiter(
                        id: id, origin: origin, isAhead: isAhead, continuation: continuation, timer: timer)
                    let place = isAhead ? state.waiters.firstIndex { !$0.isAhead } : nil
                    state.waiters.insert(waiter, at: place ?? state.waiters.endIndex)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            endWait(id, CancellationError())
        }
    }

    private func endWait(_ id: UInt64, _ error: any Error) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.resume(.failure(error))
    }

    private func hasRoom(for origin: String?, _ isAhead: Bool, _ state: State) -> Bool {
        let others = state.waiters.lazy.filter { $0.isAhead == isAhead }
        guard others.count < maxWaiting else { return false }
        return origin == nil || others.count { $0.origin == origin } < maxWaiting - maxWaiting / 2
    }

    /// Gives a resource back. False when the pool was closed in the meantime: the caller has to end the resource.
    /// - Parameter origin: the one that it was acquired for.
    @discardableResult
    package func release(_ resource: Resource, of origin: String? = nil) -> Bool {
        let (next, isOpen): ((waiter: Waiter, resource: Resource)?, Bool) = state.withLock { state in
            if state.isClosed { return (nil, false) }
            state.giveBack(resource, of: origin)
            return (state.next(), true)
        }
        if let next { next.waiter.resume(.success(next.resource)) }
        return isOpen
    }

    /// Refuses all tasks from now on, those that wait included. Gives the idle resources, which the caller has to end.
    package func close() -> [Resource] {
        let (waiters, idle) = state.withLock { state in
            state.isClosed = true
            defer { (state.waiters, state.idle) = ([], []) }
            return (state.waiters, state.idle)
        }
        for waiter in waiters { waiter.resume(.failure(ResourcePoolError.closed)) }
        return idle
    }
}

/// The reason for which a task gets no resource of a `ResourcePool`.
package enum ResourcePoolError: Error, Hashable {
    /// Too many tasks wait already, or too many of this origin.
    case full
    case closed
    /// None was free within the time.
    case late
}

/// Shares of the resources of a pool: no origin leaves the others without.
package struct PoolShares: Sendable {
    /// Origins for each of which one resource is kept free until it has one.
    package var origins: Int
    /// Resources of one origin at a time.
    package var most: Int

    package init(origins: Int, most: Int) { (self.origins, self.most) = (origins, most) }

    /// Whether an origin with `count` resources may have one more.
    /// - Parameters:
    ///   - users: origins that have some, this one included if it has.
    ///   - idle: resources that are free.
    func allow(_ count: Int, of users: Int, idle: Int) -> Bool {
        count == 0 || count < most && idle > max(origins - users, 0)
    }
}
