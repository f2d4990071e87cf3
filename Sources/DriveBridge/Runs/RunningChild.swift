internal import ChildProcesses
internal import FundCore
internal import Glibc

/// A child of rclone that runs, and the ends of what leads to it.
struct RunningChild: ~Copyable {
    /// Bytes that are read or written at once.
    private static let pieceBytes = 1 << 18
    /// Room of the pipe for what it writes: with the usual 64 KiB both sides wait for each other with every piece. The
    /// kernel may grant less.
    private static let pipeBytes: Int32 = 1 << 20
    /// `F_SETPIPE_SZ` of fcntl(2), a macro that Swift does not see.
    private static let setPipeSize: Int32 = 1031
    private static let maxErrorBytes = 16 << 10

    private let child: ChildHandle
    /// Readable when the child has ended.
    private let ending: Int32
    /// To the launcher.
    let channel: Int32
    /// A pipe from its standard output; -1 where that is a file.
    private let output: Int32
    private(set) var errors: PipeReader
    /// A socket to its standard input; -1 when that is closed.
    private var input: Int32
    private let room: UnsafeMutableRawBufferPointer
    /// Bytes for standard input that wait; they lie in a room of their own.
    private var waiting = 0..<0
    private let inputRoom: UnsafeMutableRawBufferPointer
    private var isOutputOpen: Bool
    private var isRunning = true
    private var status: Int32?

    /// - Parameter file: a file for its standard output, which stays open here; nil for a pipe.
    init(
        _ command: RcloneCommand, executable: String, hasInput: Bool, appendingTo file: Int32?
    ) throws(ProcessError) {
        let configuration = try MemoryFile(sealed: command.file)
        let calls = try DeniedCalls.file(.streams, appendsOutput: file != nil)
        let authorities = try MemoryFile(sealed: command.authorities ?? [])
        let accounts = try MemoryFile(sealed: command.accounts ?? [])
        let (own, other) = try LocalSocket.pair(.messages)
        var descriptors = RunDescriptors(own, other)
        defer { descriptors.closeOthers() }
        do throws(ProcessError) {
            var (output, childOutput): (Int32, Int32) = (-1, file ?? -1)
            if file == nil {
                let pipe = try OutputPipe(blocksWriter: true)
                (output, childOutput) = (pipe.reading, pipe.writing)
                descriptors.own.append(output)
                descriptors.others.append(childOutput)
                _ = fcntl(output, Self.setPipeSize, Self.pipeBytes)
            }
            let errors = try OutputPipe(blocksWriter: true)
            descriptors.own.append(errors.reading)
            descriptors.others.append(errors.writing)
            var (input, childInput): (Int32, Int32) = (-1, -1)
            if hasInput {
                (input, childInput) = try LocalSocket.pair(.stream)
                descriptors.own.append(input)
                descriptors.others.append(childInput)
            }
            let child = try ChildCommand(
                fundmail: executable, arguments: [DriveLauncher.command, "\(command.clients)"] + command.launched,
                descriptors: [
                    childInput, childOutput, errors.writing, other, calls.descriptor, configuration.descriptor,
                    authorities.descriptor, accounts.descriptor,
                ]
            ).start()
            let ending = child.openForPolling()
            guard ending >= 0 else {
                let error = ProcessError("pidfd_open", code: errno)
                child.killGroup()
                child.wait()
                throw error
            }
            (self.child, self.ending, self.input, channel) = (child, ending, input, own)
            self.output = output
            isOutputOpen = output >= 0
            self.errors = PipeReader(errors.reading, keeping: .end, atMost: Self.maxErrorBytes)
        } catch {
            descriptors.closeOwn()
            throw error
        }
        room = .allocate(byteCount: Self.pieceBytes, alignment: 16)
        inputRoom = .allocate(byteCount: Self.pieceBytes, alignment: 16)
    }

    deinit {
        for descriptor in [ending, channel, output, errors.descriptor, input] where descriptor >= 0 {
            close(descriptor)
        }
        room.deallocate()
        inputRoom.deallocate()
    }

    /// Whether it runs, or something of its output is to be read.
    var isOpen: Bool { isRunning || isOutputOpen }

    /// Waits for something to happen, and passes on what came. Returns whether `stop` is set.
    mutating func wait(
        until stop: StopMark, atMost milliseconds: Int32, _ fill: ((UnsafeMutableRawBufferPointer) throws -> Int)?,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        if input >= 0, waiting.isEmpty, let fill { try refill(fill) }
        var polled = [
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isOutputOpen ? output : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors.isOpen ? errors.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: isRunning ? ending : -1, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&polled, nfds_t(polled.count), milliseconds)
        guard count > 0 else { return false }
        if polled[0].revents != 0 { return true }
        if polled[2].revents != 0 { errors.read() }
        if polled[3].revents != 0 { pass() }
        if polled[1].revents != 0 { try read(take) }
        if polled[4].revents != 0 { isRunning = false }
        return false
    }

    private mutating func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let count = SystemCall.retrying { Glibc.read(output, room.baseAddress, room.count) }
        if count > 0 { return try take(UnsafeRawBufferPointer(rebasing: room[..<count])) }
        if count == 0 || errno != EAGAIN { isOutputOpen = false }
    }

    private mutating func refill(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        let count = try fill(inputRoom)
        guard count > 0 else { return closeInput() }
        waiting = 0..<count
    }

    private mutating func pass() {
        let rest = UnsafeRawBufferPointer(rebasing: inputRoom[waiting])
        let sent = SystemCall.retrying {
            send(input, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        if sent >= 0 {
            waiting = waiting.dropFirst(sent)
        } else if errno != EAGAIN {
            // It has read enough, or ended: its status tells.
            closeInput()
        }
    }

    private mutating func closeInput() {
        close(input)
        input = -1
        waiting = 0..<0
    }

    /// Kills what is left, and waits for it. Returns the exit status, 128 and the number of a signal that ended it.
    @discardableResult
    mutating func end() -> Int32 {
        if let status { return status }
        child.killGroup()
        let status = child.wait().shellStatus
        errors.read()
        self.status = status
        return status
    }
}

/// Descriptors of a child that is being started.
private struct RunDescriptors {
    var own: [Int32]
    var others: [Int32]

    init(_ own: Int32, _ other: Int32) { (self.own, others) = ([own], [other]) }

    func closeOwn() { own.forEach { close($0) } }
    func closeOthers() { others.forEach { close($0) } }
}
