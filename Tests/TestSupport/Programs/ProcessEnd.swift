import CLinux
internal import Glibc

/// The end of processes, children or not (pidfd_open(2)).
package enum ProcessEnd {
    /// Waits until a process has ended. False when it lives on after `limit`.
    package static func wait(for process: Int32, within limit: Duration = .seconds(60)) async throws -> Bool {
        try await offPool { comes(to: process, within: limit / .seconds(1)) }
    }

    /// Waits on this thread, for `seconds` at most.
    static func comes(to process: Int32, within seconds: Double) -> Bool {
        let descriptor = fundmail_open_process(process)
        guard descriptor >= 0 else { return errno == ESRCH }
        defer { close(descriptor) }
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, Int32(max(0, seconds * 1000))) > 0
    }
}
