import CLinux
internal import Glibc
import FundCore
internal import Synchronization

/// Makes all files of the store durable that were written before, for a whole batch at once.
final class DurabilityBarrier: Sendable {
    private let descriptor: Int32
    private let layout: StoreLayout
    private let syncFileSystem: @Sendable (Int32) -> Int32
    private let crossed = Mutex(DurationHistogram.ofWaits)

    /// How long each took, the failed ones included.
    var durations: DurationHistogram { crossed.withLock { $0 } }

    /// syncfs(2): 0 or errno. From Linux 5.8 on it reports what could not be written since the descriptor was opened.
    static let syncFileSystem: @Sendable (Int32) -> Int32 = { syncfs($0) == 0 ? 0 : errno }

    init(layout: StoreLayout, syncFileSystem: @escaping @Sendable (Int32) -> Int32) throws(SpoolError) {
        let descriptor = open(layout.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw SpoolError("open", layout.root) }
        self.descriptor = descriptor
        self.layout = layout
        self.syncFileSystem = syncFileSystem
    }

    deinit { close(descriptor) }

    /// After an error nothing that was written before may be trusted: the kernel forgets pages that it could not write.
    func cross(files: () -> Set<String>) throws(SpoolError) {
        let start = ContinuousClock.now
        defer { crossed.withLock { $0.note(ContinuousClock.now - start) } }
        let code = syncFileSystem(descriptor)
        if code == 0 { return }
        guard [ENOSYS, EINVAL, EOPNOTSUPP, EPERM].contains(code) else {
            throw SpoolError("sync the file system of", layout.root, code: code)
        }
        let files = files()
        for file in files { try Self.sync(file, flags: O_RDONLY) }
        for folder in Set(files.map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) }) {
            try Self.sync(folder, flags: O_RDONLY | O_DIRECTORY)
        }
    }

    static func sync(_ path: String, flags: Int32) throws(SpoolError) {
        let file = open(path, flags | O_CLOEXEC, 0)
        guard file >= 0 else { throw SpoolError("open", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw SpoolError("sync", path) }
    }
}
