internal import Crypto
internal import Dispatch
internal import FundCore
internal import Synchronization

/// Hashes each blob before this process serves it for the first time, and again when its file was touched since.
final class BlobVerification: Sendable {
    /// More are forgotten, and hashed again when they are asked for: about 20 MB.
    private static let maxRemembered = 100_000
    /// Small blobs are hashed on queues of their own: none of them waits for gigabytes.
    private static let maxSmallBytes: Int64 = 16 * 1024 * 1024
    private static let smallWorkers = 2
    /// Of a file that is touched each time.
    private static let maxReadings = 3

    private struct Known: Hashable {
        var digest: ContentDigest
        var identity: OpenBlob.Identity
    }

    private let known = Mutex<Set<Known>>([])
    private let damaged = Mutex(BoundedTable<Known, OpenBlob.Damage>(maxEntries: 1000))
    private let underWay = Mutex<[Known: Task<Void, any Error>]>([:])
    private let smallQueues = (0..<smallWorkers).map { DispatchQueue(label: "fundmail.server.verify.\($0)") }
    private let largeQueue = DispatchQueue(label: "fundmail.server.verify.large")

    /// Blocks for a system call.
    func isKnown(_ blob: OpenBlob) throws -> Bool { isKnown(blob.digest, as: try blob.identity()) }

    func isKnown(_ digest: ContentDigest, as identity: OpenBlob.Identity) -> Bool {
        known.withLock { $0.contains(Known(digest: digest, identity: identity)) }
    }

    /// Reads all of it unless it is known. Who asks for a blob that is being hashed waits for that. Throws `OpenBlob.Damage`.
    func verify(_ blob: OpenBlob) async throws {
        let state = Known(digest: blob.digest, identity: try blob.identity())
        guard !known.withLock({ $0.contains(state) }) else { return }
        try checkDamage(of: state)
        let task = underWay.withLock { tasks in
            if let task = tasks[state] { return task }
            let task = Task { try await self.hash(blob, state) }
            tasks[state] = task
            return task
        }
        defer { underWay.withLock { $0[state] = nil } }
        try await task.value
    }

    /// Throws `OpenBlob.Damage` for one that was found to be damaged and was not touched since. Blocks for a system call.
    func checkDamage(of blob: OpenBlob) throws {
        try checkDamage(of: Known(digest: blob.digest, identity: try blob.identity()))
    }

    private func checkDamage(of state: Known) throws {
        if let damage = damaged.withLock({ $0[state] }) { throw damage }
    }

    private func hash(_ blob: OpenBlob, _ state: Known) async throws {
        let isSmall = blob.size <= Self.maxSmallBytes
        let queue = isSmall ? smallQueues[Int(blob.digest.bytes[0]) % smallQueues.count] : largeQueue
        var state = state
        for _ in 0..<Self.maxReadings {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                queue.async { [self, state] in continuation.resume(with: Result { try compare(blob, state) }) }
            }
            let identity = try blob.identity()
            guard identity != state.identity else {
                return known.withLock { [state] known in
                    if known.count >= Self.maxRemembered { known.removeFirst() }
                    known.insert(state)
                }
            }
            // Touched while it was read, if only by a backup that linked it: what was hashed may not be what is there.
            state.identity = identity
        }
        throw OpenBlob.Damage(detail: "it changed while it was read")
    }

    private func compare(_ blob: OpenBlob, _ state: Known) throws {
        var hash = SHA256()
        try blob.readAll { hash.update(bufferPointer: $0) }
        let digest = ContentDigest(hash.finalize())
        guard digest == blob.digest else {
            let damage = OpenBlob.Damage(detail: "its bytes have the hash \(digest.hex)")
            damaged.withLock { $0[state] = damage }
            throw damage
        }
    }
}
