internal import Synchronization

/// Free space of the disk that takes the copies of large contents, so that these never fill it.
final class CopyRoom: Sendable {
    private let freeBytes: @Sendable () async throws -> Int64
    /// Stays free.
    private let minFreeBytes: Int64
    /// Bytes of copies that are being made or used: some of them may not stand on the disk yet.
    private let taken = Mutex<Int64>(0)

    init(minFreeBytes: Int64, freeBytes: @escaping @Sendable () async throws -> Int64) {
        self.minFreeBytes = minFreeBytes
        self.freeBytes = freeBytes
    }

    /// Takes this many bytes until `give`; false, and takes none, where the disk has no room for them. Where nothing
    /// can be said of the disk, it has.
    func take(_ bytes: Int64) async -> Bool {
        guard bytes > 0 else { return true }
        let free = (try? await freeBytes()) ?? .max
        return taken.withLock { taken in
            guard free - minFreeBytes >= taken + bytes else { return false }
            taken += bytes
            return true
        }
    }

    func give(_ bytes: Int64) { taken.withLock { $0 -= bytes } }
}
