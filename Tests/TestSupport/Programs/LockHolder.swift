import CLinux
internal import Glibc

/// Another process that holds a lock: util-linux's flock(1), so that not our own code judges itself.
///
/// It is no `Process` of Foundation: that one sees no end of a program whose own child lives on, and exit tests of all
/// suites wait for ever beside a child whose parent has not waited for it.
package final class LockHolder: Sendable {
    private let process: pid_t
    private let isEnded = Flag()

    /// Returns when the process has the lock. Throws `ServerFailure` when it gets none.
    package init(of path: String) throws {
        var pipe: [Int32] = [0, 0]
        guard pipe2(&pipe, O_CLOEXEC) == 0 else { throw ServerFailure("pipe2: \(errno)") }
        defer { close(pipe[0]) }
        do {
            defer { close(pipe[1]) }
            // It runs its command once it has the lock.
            let words = ["flock", "-o", path, "sh", "-c", "echo held; exec sleep infinity"]
            process = try Spawning.spawn("/usr/bin/flock", words, isOwnSession: true) { actions in
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
            }
        }
        var byte: UInt8 = 0
        while read(pipe[0], &byte, 1) < 0, errno == EINTR {}
        guard byte == UInt8(ascii: "h") else {
            kill()
            throw ServerFailure("flock holds no lock of \(path)")
        }
    }

    deinit { kill() }

    /// Kills it with what it runs, and waits until it is gone. Harmless when repeated.
    package func kill() {
        guard isEnded.raise() else { return }
        _ = Glibc.kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
