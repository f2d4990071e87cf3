internal import CLinux
internal import FundCore
internal import Glibc

/// A child of this process that nothing else waits for. After `wait`, or an exit of `exitIfEnded`, its number may
/// belong to another process.
package struct ChildHandle: Sendable, Hashable {
    package let pid: Int32

    package init(pid: Int32) { self.pid = pid }

    /// Kills the child alone.
    package func kill() { _ = Glibc.kill(pid, SIGKILL) }

    /// Kills the child with its process group.
    package func killGroup() { _ = Glibc.kill(-pid, SIGKILL) }

    /// Blocks until the child has ended.
    @discardableResult
    package func wait() -> ChildExit { Self.wait(pid) ?? ChildExit(status: -1) }

    /// Blocks until another process of the child's group has ended that became a child of this process
    /// (`ProcessSettings.adoptOrphans`); nil when there is none left.
    package func waitForGroup() -> ChildExit? { Self.wait(-pid) }

    /// How the child ended; nil while it runs.
    package func exitIfEnded() -> ChildExit? {
        var status: Int32 = 0
        let ended = SystemCall.retrying { Int(waitpid(pid, &status, WNOHANG)) }
        return ended == Int(pid) ? ChildExit(status: status) : nil
    }

    /// A descriptor that is readable when the child has ended (pidfd_open(2)), which the caller closes; -1 on failure.
    package func openForPolling() -> Int32 { fundmail_open_process(pid) }

    private static func wait(_ pid: Int32) -> ChildExit? {
        var seconds = 0.0
        let status = fundmail_wait(pid, &seconds)
        return status < 0 ? nil : ChildExit(status: status, processorSeconds: seconds)
    }
}

/// How a child ended.
package struct ChildExit: Sendable, Hashable {
    /// The status of wait(2).
    let status: Int32
    /// Processor time of the child and of those for which it waited.
    package var processorSeconds = 0.0

    /// The signal that ended it; nil when it ended by itself.
    package var signal: Int32? {
        let signal = fundmail_signal_of_status(status)
        return signal == 0 ? nil : signal
    }

    /// The exit status of a child that ended by itself.
    package var code: Int32 { status >> 8 & 0xFF }

    /// The exit status, or 128 and the number of the signal, as a shell gives it.
    package var shellStatus: Int32 { signal.map { 128 + $0 } ?? code }
}
