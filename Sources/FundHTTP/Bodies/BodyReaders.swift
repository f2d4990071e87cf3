internal import Dispatch
internal import Foundation
internal import FundCore

/// Reads large forms and JSON on a few threads of their own: the threads that serve everybody do not wait for the body
/// of one.
package struct BodyReaders: Sendable {
    /// Reading up to this many bytes takes less than the way to another thread and back is worth.
    private static let maxBytesAtOnce = 32 * 1024
    private static let threads = 2
    /// Places for bodies that wait; one client or user may take half of them.
    private static let maxWaiting = 64

    /// Serial queues, since each has a thread of its own.
    private let queues = ResourcePool(
        (0..<threads).map { DispatchQueue(label: "fundmail.server.bodies.\($0)") }, maxWaiting: maxWaiting)

    package init() {}

    /// The result of `read`. Throws `busy` when too many bodies wait already, or half of them are of this origin, and
    /// what `read` throws.
    /// - Parameters:
    ///   - count: bytes of the body.
    ///   - origin: whose it is.
    package func read<Value: Sendable>(
        _ count: Int, of origin: String, _ read: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard count > Self.maxBytesAtOnce else { return try read() }
        let queue: DispatchQueue
        do { queue = try await queues.acquire(for: origin) } catch ResourcePoolError.full { throw RequestError.busy }
        defer { queues.release(queue) }
        return try await queue.run(read)
    }
}
