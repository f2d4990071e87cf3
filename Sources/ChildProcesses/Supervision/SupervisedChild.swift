internal import FundCore
internal import Glibc

/// A child that runs for a limited time: its standard error, its processor time, its end.
package struct SupervisedChild: ~Copyable {
    /// A child that was told to stop and does not is killed after this time.
    private static let graceSeconds = 10.0

    private let child: ChildHandle
    /// Readable when the process has ended.
    private let ending: Int32
    private let errors: Int32

    /// How a child ended.
    package enum End: Sendable, Hashable {
        /// By itself; 128 and the number of a signal when that ended it.
        case exited(Int32)
        /// It was stopped after its wall time.
        case outOfTime
        /// It was stopped since its output is not wanted any more.
        case cancelled
    }

    /// Starts a program.
    ///
    /// - Parameter command: its descriptor 2 is replaced by a pipe.
    package init(_ command: ChildCommand) throws(ProcessError) {
        let pipe = try OutputPipe(blocksWriter: false)
        var command = command
        command.descriptors[2] = pipe.writing
        let child: ChildHandle
        do throws(ProcessError) { child = try command.start() } catch {
            pipe.close()
            throw error
        }
        close(pipe.writing)
        let ending = child.openForPolling()
        guard ending >= 0 else {
            let error = ProcessError("pidfd_open", code: errno)
            child.killGroup()
            child.wait()
            close(pipe.reading)
            throw error
        }
        (self.child, self.ending, errors) = (child, ending, pipe.reading)
    }

    deinit {
        close(ending)
        close(errors)
    }

    /// Kills it with its process group.
    package borrowing func kill() { child.killGroup() }

    /// Waits for its end. When its time is up, or when the other end of `cancellation` is closed, `stop` is called once
    /// and has to bring the end about.
    package borrowing func wait(
        _ seconds: Double, cancellation: Int32?, stop: (borrowing SupervisedChild) -> Void
    ) -> (end: End, time: ProcessorTime, errors: String) {
        var deadline = ContinuousClock.now + .seconds(seconds)
        var reason: End?
        var errors = PipeReader(errors, keeping: .beginning)
        while true {
            var polled = [
                pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors.isOpen ? errors.descriptor : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: reason == nil ? cancellation ?? -1 : -1, events: LocalSocket.hungUp, revents: 0),
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
        let exit = child.wait()
        var time = ProcessorTime(ofLauncher: exit.processorSeconds)
        // The group has its number as long as one of these is there.
        while let orphan = child.waitForGroup() { time.ofOrphans = (time.ofOrphans ?? 0) + orphan.processorSeconds }
        return (reason ?? .exited(exit.shellStatus), time, errors.text)
    }

    /// Seconds of processor time, with those of the processes for which a process waited.
    package struct ProcessorTime: Sendable {
        package var ofLauncher = 0.0
        /// Time of those in its group that it did not wait for; nil where there were none, or this process adopts none
        /// (`ProcessSettings.adoptOrphans`).
        package var ofOrphans: Double?
    }
}
