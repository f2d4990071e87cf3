internal import Crypto
internal import Dispatch
internal import Ingest
internal import Synchronization

/// Hashes each blob before this process serves it for the first time, and again when its file was touched since.
final class BlobVerification: Sendable {
    /// More are forgotten, and hashed again when they are asked for: about 20 MB.
    private static let maxRemembered = 100_000
    /// Blobs hashed at a time: the others wait, so that downloads of what is known keep half the machine.
    private static let workers = 2
    /// Of a file that is touched each time.
    private static let maxReadings = 3

    private struct Known: Hashable {
        var digest: ContentDigest
        var identity: OpenBlob.Identity
    }

    private let known = Mutex<Set<Known>>([])
    private let underWay = Mutex<[Known: Task<Void, any Error>]>([:])
    private let queues = (0..<workers).map { DispatchQueue(label: "fundmail.server.verify.\($0)") }

    /// Blocks for a system call.
    func isKnown(_ blob: OpenBlob) throws -> Bool { isKnown(blob.digest, as: try blob.identity()) }

    func isKnown(_ digest: ContentDigest, as identity: OpenBlob.Identity) -> Bool {
        known.withLock { $0.contains(Known(digest: digest, identity: identity)) }
    }

    /// Reads all of it unless it is known. Who asks for a blob that is being hashed waits for that. Throws `OpenBlob.Damage`.
    func verify(_ blob: OpenBlob) async throws {
        let state = Known(digest: blob.digest, identity: try blob.identity())
        guard !known.withLock({ $0.contains(state) }) else { return }
        let task = underWay.withLock { tasks in
            if let task = tasks[state] { return task }
            let task = Task { try await self.hash(blob, state) }
            tasks[state] = task
            return task
        }
        defer { underWay.withLock { $0[state] = nil } }
        try await task.value
    }

    private func hash(_ blob: OpenBlob, _ state: Known) async throws {
        let queue = queues[Int(blob.digest.bytes[0]) % queues.count]
        var state = state
        for _ in 0..<Self.maxReadings {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                queue.async { continuation.resume(with: Result { try Self.compare(blob) }) }
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

    private static func compare(_ blob: OpenBlob) throws {
        var hash = SHA256()
        try blob.readAll { hash.update(bufferPointer: $0) }
        let digest = ContentDigest(hash.finalize())
        guard digest == blob.digest else { throw OpenBlob.Damage(detail: "its bytes have the hash \(digest.hex)") }
    }
}
