internal import ChildProcesses
internal import FundCore
internal import Glibc
internal import Synchronization

/// One child of rclone, from its start to its end.
final class RcloneRun: Sendable {
    private static let lookMilliseconds: Int32 = 1000
    /// Pause until a file is looked at again to which the child has appended nothing: the first, which is doubled each
    /// time, and the longest.
    private static let (growingMilliseconds, mostGrowingMilliseconds): (Int32, Int32) = (1, 64)
    /// A child begins within this time, or never: the launcher hands over its socket.
    private static let startSeconds = 20

    /// How a child ended that was left to itself.
    struct End: Sendable {
        /// Its exit status.
        var status: Int32
        /// The end of what it wrote to standard error.
        var errors: String
        /// The reason for which a connection did not come about.
        var failure: DriveError?
    }

    private let command: RcloneCommand
    private let policy: EgressPolicy
    private let executable: String
    /// Set when the child is to be ended.
    private let stop: StopMark
    private let isCancelled = Atomic<Bool>(false)
    private let proxy = Mutex<EgressProxy?>(nil)
    private let ended = Atomic<Bool>(false)

    /// The reason for which a connection did not come about; nil where there is none.
    var failure: DriveError? { proxy.withLock { $0?.failure } }

    /// Whether `run` is over.
    var isEnded: Bool { ended.load(ordering: .relaxed) }

    /// - Parameter executable: a program that runs `DriveLauncher` for its command.
    init(_ command: RcloneCommand, _ policy: EgressPolicy, executable: String) throws(ProcessError) {
        (self.command, self.policy, self.executable) = (command, policy, executable)
        stop = try StopMark()
    }

    /// Ends the child at once.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        stop.set()
    }

    /// Runs the child. Blocks the thread until nothing of it is left. bwrap ends with the thread that started it.
    ///
    /// Throws what `take` and `fill` throw, `DriveError`, and `CancellationError` after `cancel`.
    /// - Parameters:
    ///   - ready: gets the sockets of the command, before the child begins; closes them.
    ///   - fill: fills the buffer for the child's standard input; 0 at its end. Nil for an empty one.
    ///   - take: gets what it writes, in pieces.
    func run(
        ready: ([Int32]) -> Void = { _ in }, fill: ((UnsafeMutableRawBufferPointer) throws -> Int)? = nil,
        take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> End {
        defer { ended.store(true, ordering: .relaxed) }
        guard !stop.isSet else { throw CancellationError() }
        var child = try RunningChild(command, executable: executable, hasInput: fill != nil, appendingTo: nil)
        return try run(&child, nil, ready, fill, take)
    }

    /// Runs the child, which appends its output to a file, to its end as above. Also throws what the file throws.
    func run(appendingTo file: any GrowingFile) throws -> End {
        defer { ended.store(true, ordering: .relaxed) }
        guard !stop.isSet else { throw CancellationError() }
        let open = try file.beginGrowing()
        let end: End
        do {
            var command = command
            command.maxFileBytes = open.maxFileBytes
            var child = try RunningChild(
                command, executable: executable, hasInput: false, appendingTo: open.descriptor)
            end = try run(&child, file, { _ in }, nil, { _ in })
        } catch {
            // The cause is told; what came is taken as far as that can be.
            try? file.endGrowing()
            throw error
        }
        try file.endGrowing()
        return end
    }

    /// Follows a child that runs, and ends it.
    private func run(
        _ child: inout RunningChild, _ file: (any GrowingFile)?, _ ready: ([Int32]) -> Void,
        _ fill: ((UnsafeMutableRawBufferPointer) throws -> Int)?, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> End {
        defer { child.end() }
        // Until the launcher has its network, or ended.
        LocalSocket.setTimeout(.seconds(Self.startSeconds), of: child.channel)
        guard let listening = LocalSocket.receive(from: child.channel, maxBytes: 1)?.descriptors.first else {
            child.end()
            throw DriveError(.broken, child.errors.lastLine)
        }
        let proxy = try EgressProxy(takingOwnershipOf: listening, policy) { [stop] in stop.set() }
        self.proxy.withLock { $0 = proxy }
        proxy.start()
        if command.clients > 0 {
            let sockets = (0..<command.clients).compactMap { _ in
                LocalSocket.receive(from: child.channel, maxBytes: 1)?.descriptors.first
            }
            guard sockets.count == command.clients else {
                sockets.forEach { close($0) }
                proxy.end()
                throw DriveError(.broken)
            }
            ready(sockets)
        }
        defer { proxy.end() }
        do {
            try follow(&child, proxy, file, fill, take)
        } catch is CancellationError where !isCancelled.load(ordering: .relaxed) {
            // The proxy refused a tunnel.
            throw proxy.failure ?? DriveError(.broken)
        }
        let status = child.end()
        return End(status: status, errors: child.errors.text, failure: proxy.failure)
    }

    private func follow(
        _ child: inout RunningChild, _ proxy: EgressProxy, _ file: (any GrowingFile)?,
        _ fill: ((UnsafeMutableRawBufferPointer) throws -> Int)?, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        // A child that waits to be asked for another file has no rate: its reads have.
        var pace = command.pace
        if command.clients > 0 { (pace.silentSeconds, pace.rateSeconds) = (2 * pace.silentSeconds, .infinity) }
        let begun = ContinuousClock.now
        var pause = file == nil ? Self.lookMilliseconds : Self.growingMilliseconds
        while child.isOpen {
            let stopped = try child.wait(until: stop, atMost: pause, fill, take)
            if stopped { throw CancellationError() }
            if let file {
                let next = min(max(2 * pause, Self.growingMilliseconds), Self.mostGrowingMilliseconds)
                pause = try file.takeGrown() > 0 ? 0 : next
            }
            let now = ContinuousClock.now
            if let limit = command.maxSeconds, begun.duration(to: now).seconds > limit { throw DriveError(.tooSlow) }
            let count = proxy.byteCount
            guard count <= command.maxBytes ?? .max else { throw DriveError(.tooMany) }
            guard pace.isEnough(count, at: now) else { throw DriveError(.tooSlow) }
        }
    }
}
