internal import Dispatch
internal import Synchronization

/// The threads on which the store blocks, apart from Swift's own.
final class StoreQueues: Sendable {
    /// Reads and administrators' writes.
    let shared = DispatchQueue(label: "fundmail.store.blocking", attributes: .concurrent)
    /// Batches one after the other: their barriers and transactions would only wait for each other.
    let commits = DispatchQueue(label: "fundmail.store.commit")
    /// Users' changes, which wait for each other in any case. Serial queues have threads of their own, while a
    /// concurrent one has as many as there are processors: two changes that wait for another process would hold up all
    /// reading.
    let changes = DispatchQueue(label: "fundmail.store.change")
    /// Letters that go out, one after the other.
    let outbox = DispatchQueue(label: "fundmail.store.outbox")
    /// Segments on their way to an object store and back.
    let bucket = DispatchQueue(label: "fundmail.store.bucket")
    /// Looks at the object store that are done within seconds.
    let bucketLook = DispatchQueue(label: "fundmail.store.bucket.look")
    /// A few uploads at a time become durable, for the same reason not on the concurrent queue.
    private let uploads = (0..<4).map { DispatchQueue(label: "fundmail.store.upload.\($0)") }
    private let uploadCount = Atomic<Int>(0)

    var upload: DispatchQueue { uploads[uploadCount.wrappingAdd(1, ordering: .relaxed).oldValue & 3] }
}
