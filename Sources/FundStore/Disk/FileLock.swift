internal import Glibc
import FundCore
internal import Synchronization

/// flock(2) on a file: released by the kernel when the process dies, and not inherited by children.
///
/// Two locks on one file exclude each other within one process, too: each has an open file description of its own.
final class FileLock: Sendable {
    let path: String
    let descriptor: Int32
    private let isClosed = Mutex(false)
    /// How often another holder was found to have it.
    let refusals = Atomic<Int>(0)

    init(path: String, owner: FileOwner?) throws(DiskError) {
        self.path = path
        descriptor = try DiskFile.open(path, owner: owner)
    }

    /// Opens a file that is there and cannot be written: flock(2) asks for no more than an open file.
    init(readOnly path: String) throws(DiskError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw DiskError("open", path) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close() }

    /// Lets go of the lock, and first empties the file if told so. Once: afterwards the number of the descriptor may
    /// belong to another file.
    func close(erasing: Bool = false) {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            if erasing { ftruncate(descriptor, 0) }
            Glibc.close(descriptor)
        }
    }

    /// False when another holder still has it at the end of `wait`. Blocks.
    func acquire(waitingUpTo wait: Duration) throws(DiskError) -> Bool {
        let deadline = ContinuousClock.now + wait
        var pause: UInt32 = 500
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw DiskError("lock", path) }
            refusals.add(1, ordering: .relaxed)
            guard ContinuousClock.now < deadline else { return false }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
        return true
    }

    /// Shares it with others, also where this holder had it for itself. False when another has it for itself.
    func share() -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }

    /// Tells every process with a `CommitWatch` on the file: sets its times, which takes no room on the disk.
    func announce() { _ = futimens(descriptor, nil) }

    func release() { flock(descriptor, LOCK_UN) }
}
