import CLinux
internal import Glibc
import FundCore

/// A launcher of a sandbox while it runs: its time, its standard error, its end.
struct SandboxProcess: ~Copyable {
    /// A launcher that was told to stop and does not is killed after this time.
    private static let graceSeconds = 10.0

    private let pid: pid_t
    /// Readable when the process has ended.
    private let ending: Int32
    private let errors: Int32

    /// Starts a program in a process group of its own.
    ///
    /// - Parameter hasOwnSession: and in a session of its own, whose part of the processors is as large as that of any
    ///   other session (autogroups, sched(7)); else it shares the small one of this process.
    /// - Parameter descriptors: from that for its standard error to all of them, as for `fundmail_spawn`.
    init(
        _ program: String, words: [String], variables: [String], hasOwnSession: Bool,
        descriptors: (_ errors: Int32) -> [Int32]
    ) throws(SandboxError) {
        var pipe: [Int32] = [-1, -1]
        guard pipe2(&pipe, O_CLOEXEC | O_NONBLOCK) == 0 else { throw SandboxError("pipe", code: errno) }
        let files = descriptors(pipe[1])
        let words = words.map { strdup($0) } + [nil]
        let variables = variables.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let spawn = hasOwnSession ? fundmail_spawn_session : fundmail_spawn
        let code = spawn(&pid, program, words, variables, files, Int32(files.count), 0)
        close(pipe[1])
        guard code == 0 else {
            close(pipe[0])
            throw SandboxError(program, code: code)
        }
        let ending = fundmail_open_process(pid)
        guard ending >= 0 else {
            let error = SandboxError("pidfd_open", code: errno)
            Glibc.kill(-pid, SIGKILL)
            var seconds = 0.0
            _ = fundmail_wait(pid, &seconds)
            close(pipe[0])
            throw error
        }
        (self.pid, self.ending, errors) = (pid, ending, pipe[0])
    }

    deinit {
        close(ending)
        close(errors)
    }

    /// Has those that lose their parent become children of this process: what a launcher leaves behind in its process
    /// group is then waited for.
    static func adoptOrphans() -> Bool { fundmail_prctl(36 /* PR_SET_CHILD_SUBREAPER */, 1, 0, 0, 0) == 0 }

    /// Kills it with its process group.
    borrowing func kill() { Glibc.kill(-pid, SIGKILL) }

    /// Waits for its end. When its time is up, or when the other end of `cancellation` is closed, `stop` is called once
    /// and has to bring the end about.
    borrowing func wait(
        _ seconds: Double, cancellation: Int32?, stop: (borrowing SandboxProcess) -> Void
    ) -> (end: SandboxRun.End, time: ProcessorTime, errors: String) {
        var deadline = ContinuousClock.now + .seconds(seconds)
        var reason: SandboxRun.End?
        var errors = ErrorText(descriptor: errors)
        while true {
            var polled = [
                pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors.isOpen ? errors.descriptor : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: reason == nil ? cancellation ?? -1 : -1, events: Self.hungUp, revents: 0),
            ]
            let left = max(ContinuousClock.now.duration(to: deadline).seconds, 0)
            let count = poll(&polled, 3, Int32((left * 1000).rounded(.up)))
            if polled[1].revents != 0 { errors.read() }
            if polled[0].revents != 0 { break }
            if count < 0, errno == EINTR { continue }
            guard polled[2].revents != 0 || count <= 0 else { continue }
            if reason != nil {
                kill()
            } else {
                reason = count == 0 ? .outOfTime : .cancelled
                stop(self)
            }
            deadline = .now + .seconds(Self.graceSeconds)
        }
        errors.read()
        // Before its number is free for others: what is left of the group. Nothing is, unless others killed the leader.
        kill()
        var time = ProcessorTime()
        let status = fundmail_wait(pid, &time.ofLauncher)
        var seconds = 0.0
        // The group has its number as long as one of these is there.
        while fundmail_wait(-pid, &seconds) >= 0 { time.ofOrphans = (time.ofOrphans ?? 0) + seconds }
        let signal = fundmail_signal_of_status(status)
        return (reason ?? .exited(signal == 0 ? status >> 8 & 0xFF : 128 + signal), time, errors.text)
    }

    /// In seconds, with that of all for which was waited.
    struct ProcessorTime {
        var ofLauncher = 0.0
        /// Of those in its group that it did not wait for; nil where there were none, or this process adopts none.
        var ofOrphans: Double?
    }

    /// POLLRDHUP, which glibc shows only under _GNU_SOURCE.
    static let hungUp = Int16(0x2000)
}
