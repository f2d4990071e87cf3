internal import Crypto
internal import Dispatch
internal import FundCore
internal import Synchronization

/// Compares the digest of each blob before this process serves it for the first time, and again when its file was
/// touched since. Without it damaged bytes would be served; with it, only the first download of a blob reads it twice.
final class BlobVerification: Sendable {
    /// Verified blobs that are remembered, about 20 MB; others are verified again when they are asked for.
    private static let maxRemembered = 100_000
    /// Blobs up to this size have queues of their own, so that they do not wait for gigabytes.
    private static let maxSmallBytes: Int64 = 16 * 1024 * 1024
    private static let smallWorkers = 2
    /// Attempts for a file that is touched while it is read.
    private static let maxReadings = 3

    private struct Known: Hashable {
        var digest: ContentDigest
        var identity: OpenBlob.Identity
    }

    private let known = Mutex<Set<Known>>([])
    private let damaged = Mutex(BoundedTable<Known, BlobError>(maxEntries: 1000))
    private let readings = SingleFlight<Known, Void>()
    private let smallQueues = (0..<smallWorkers).map { DispatchQueue(label: "fundmail.server.verify.\($0)") }
    private let largeQueue = DispatchQueue(label: "fundmail.server.verify.large")

    func isKnown(_ blob: OpenBlob, as identity: OpenBlob.Identity) -> Bool {
        known.withLock { $0.contains(Known(digest: blob.digest, identity: identity)) }
    }

    /// Reads the whole blob unless it is verified, once for all callers at the same time. Throws `BlobError`.
    func verify(_ blob: OpenBlob) async throws {
        let state = Known(digest: blob.digest, identity: try blob.identity())
        guard !known.withLock({ $0.contains(state) }) else { return }
        try checkDamage(of: state)
        try await readings.run(state) { [self] in try await hash(blob, state) }
    }

    /// Throws `BlobError` for a blob that was found damaged and was not touched since. Blocks for one system call.
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
            try await queue.run { [self, state] in try compare(blob, state) }
            let identity = try blob.identity()
            guard identity != state.identity else {
                return known.withLock { [state] known in
                    if known.count >= Self.maxRemembered { known.removeFirst() }
                    known.insert(state)
                }
            }
            // Touched while it was read, perhaps only by a backup that linked it: other bytes may have been hashed.
            state.identity = identity
        }
        throw BlobError(detail: "it changed while it was read")
    }

    private func compare(_ blob: OpenBlob, _ state: Known) throws {
        var hash = SHA256()
        try blob.readAll { hash.update(bufferPointer: $0) }
        let digest = ContentDigest(hash.finalize())
        guard digest == blob.digest else {
            let damage = BlobError(detail: "its bytes have the hash \(digest.hex)")
            damaged.withLock { $0[state] = damage }
            throw damage
        }
    }
}
