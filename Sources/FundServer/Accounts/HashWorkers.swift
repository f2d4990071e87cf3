internal import Dispatch
internal import FundCore
internal import Synchronization

/// Computes password hashes on a few threads of their own: each takes a third of a second, which would block Swift's
/// threads, and 128 MiB, so that many at a time would take all memory.
final class HashWorkers: Sendable {
    /// Seconds after which a client that is refused may try again.
    private static let retryAfterSeconds: Int64 = 2

    /// Serial queues, since each has a thread of its own.
    private let queues: ResourcePool<DispatchQueue>
    private let endedCount = Atomic<Int>(0)

    init(count: Int, maxWaiting: Int) {
        queues = ResourcePool(
            (0..<max(1, count)).map { DispatchQueue(label: "fundmail.server.hash.\($0)") }, maxWaiting: maxWaiting)
    }

    /// Hashes computed so far.
    var ended: Int { endedCount.load(ordering: .relaxed) }

    /// Throws `busy` when too many wait already, or half of them are of this origin.
    func run<Value: Sendable>(
        for origin: String? = nil, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let queue: DispatchQueue
        do { queue = try await queues.acquire(for: origin) } catch ResourcePoolError.full {
            throw AuthenticationError.busy(retryAfterSeconds: Self.retryAfterSeconds)
        }
        defer {
            endedCount.add(1, ordering: .relaxed)
            queues.release(queue)
        }
        return try await queue.run(body)
    }
}
