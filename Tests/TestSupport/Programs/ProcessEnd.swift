import CLinux
internal import Glibc

/// The end of processes, children or not (pidfd_open(2)).
package enum ProcessEnd {
    /// Waits until a process has ended. False when it lives on after `limit`.
    package static func wait(for process: pid_t, within limit: Duration = .seconds(60)) async throws -> Bool {
        try await offPool {
            let descriptor = fundmail_open_process(process)
            guard descriptor >= 0 else {
                if errno == ESRCH { return true }
                throw ServerFailure("pidfd_open: \(errno)")
            }
            defer { close(descriptor) }
            let end = ContinuousClock.now + limit
            while true {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let left = max(.zero, end - .now)
                let code = poll(&wanted, 1, Int32(left / .milliseconds(1)))
                if code >= 0 || errno != EINTR { return code > 0 }
            }
        }
    }
}
