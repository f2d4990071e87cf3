import CLinux
internal import Glibc
import FundCore

/// Why a message got no answer.
enum ChildError: Error {
    /// The child failed at a message: the message is refused, and the child replaced.
    case message(String)
    /// The parent failed: nothing can be said about the message.
    case own(any Error)
}

/// How a child is started.
struct ChildRecipe: Sendable {
    var executable: String
    var arguments: [String] = [ParseWorkerMain.command]
    var stagingDirectory: String
    /// Sent with every request; obeyed by debug builds only.
    var debug: UInt8 = 0
    /// Longest time from start to `ready`. A fundmail binary takes some 20 ms; a loaded machine much more.
    var startSeconds: Double = 30
    /// For tests that cannot wait: instead of `ParseLimits.maxSeconds`.
    var maxSeconds: Double?
}

/// One child process, from its start to its end.
final class ChildProcess {
    /// Why an answer is missing when the socket was closed; `end` replaces it by the exit status or the signal.
    static let ended = "the parser ended"

    let pid: pid_t
    /// As it said itself, before it read anything.
    private(set) var confinement: ChildConfinement = []
    private let socket: Int32
    private var errors: ErrorOutput
    private var frame = FrameBuffer()
    private var isReaped = false
    /// Frames that are to come: `ready`, then an answer for each request.
    private var waiting = 1

    /// Starts a child and waits until it says that it is ready.
    ///
    /// - Parameters: see `Wire`.
    init(_ recipe: ChildRecipe, pack: Int32, messages: Int32) throws(ChildError) {
        let started = try Self.start(recipe, pack: pack, messages: messages)
        (pid, socket, errors) = (started.pid, started.socket, ErrorOutput(descriptor: started.errors))
        do throws(ChildError) {
            let said = try receive(within: recipe.startSeconds) { Array($0) }
            guard said.count == 2, said[0] == Wire.Kind.ready.rawValue else { throw .message("it broke the protocol") }
            confinement = ChildConfinement(rawValue: said[1])
        } catch {
            guard case .message(let what) = error else { throw error }
            throw .own(ParserError(.cannotStart, "\(recipe.executable): \(end(because: what).text)"))
        }
    }

    deinit {
        if !isReaped {
            kill(pid, SIGKILL)
            reap()
        }
        close(socket)
        close(errors.descriptor)
    }

    /// False when the child is gone. Frames of requests are far smaller than a socket's buffer, so they go at once.
    func send(_ request: [UInt8], _ descriptor: Int32) -> Bool {
        waiting += 1
        return request.withUnsafeBytes { bytes in
            SystemCall.retrying { fundmail_send_descriptors(socket, bytes.baseAddress, bytes.count, [descriptor], 1) }
        } == request.count
    }

    /// The same for several requests at once, at most `Wire.maxWaiting`, whose messages are in the memory.
    func send(_ requests: [UInt8], count: Int) -> Bool {
        waiting += count
        return requests.withUnsafeBytes { bytes in
            SystemCall.retrying { Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        } == requests.count
    }

    /// Waits for one frame and reads it.
    func receive<Value>(
        within seconds: Double, _ read: (UnsafeRawBufferPointer) throws(ChildError) -> Value
    ) throws(ChildError) -> Value {
        var watch = ChildWatch(pid: pid, seconds: seconds)
        while true {
            let body: Range<Int>?
            do throws(WireError) {
                body = try frame.body(isLast: waiting <= 1)
            } catch { throw .message("the parser broke the protocol: \(error.what)") }
            if let body {
                defer { frame.take(body) }
                waiting -= 1
                return try frame[body].withBytes(read)
            }
            try wait(&watch)
            switch frame.fill(from: socket) {
            case 1...: break
            case 0: throw .message(Self.ended)
            default:
                if errno == EINTR || errno == EAGAIN { continue }
                throw .message(Self.ended)
            }
        }
    }

    /// Until there is something to read, or the child's time is up.
    private func wait(_ watch: inout ChildWatch) throws(ChildError) {
        while true {
            let milliseconds = try watch.nextCheck()
            var polled = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors.isOpen ? errors.descriptor : -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&polled, 2, milliseconds)
            if count < 0, errno != EINTR { throw .own(ParserError(.cannotRead, "poll", errno)) }
            guard count > 0 else { continue }
            if polled[1].revents != 0 { errors.read() }
            if polled[0].revents != 0 { return }
        }
    }

    /// How a child ended.
    struct Ending {
        /// For people.
        var text: String
        /// It could not write the pack: the disk is full or broken, and no message is to blame.
        var isPackFailure = false
    }

    /// Kills the child if it still runs, and tells how it ended.
    func end(because what: String) -> Ending {
        // A child that is already dying gets the time to say how; one that is not is stopped below.
        let status = what == Self.ended ? reapWithinASecond() : nil
        if status == nil { kill(pid, SIGKILL) }
        reap()
        errors.read()
        var ending = Ending(text: what)
        if let status {
            let signal = fundmail_signal_of_status(status)
            ending.isPackFailure = signal == 0 && status >> 8 & 0xFF == Wire.packFailureStatus
            ending.text =
                signal == 0
                ? "the parser ended by itself with status \(status >> 8 & 0xFF)"
                : "the parser crashed: \(String(cString: strsignal(signal)))"
        }
        if let line = errors.lastLine { ending.text += ": \(line)" }
        return ending
    }

    private func reap() {
        guard !isReaped else { return }
        var status: Int32 = 0
        _ = SystemCall.retrying { Int(waitpid(pid, &status, 0)) }
        isReaped = true
    }

    /// The wait status, nil when it has not ended after a second.
    private func reapWithinASecond() -> Int32? {
        var status: Int32 = 0
        for _ in 0..<200 {
            let ended = SystemCall.retrying { Int(waitpid(pid, &status, WNOHANG)) }
            if ended == pid {
                isReaped = true
                return status
            }
            if ended < 0 { return nil }
            usleep(5000)
        }
        return nil
    }
}

extension ChildProcess {
    /// The whole environment of a child: one malloc arena, to measure its memory; no backtrace, for a quick crash.
    private static let environment = [
        "LANG=C.UTF-8", "PATH=/usr/bin:/bin", "MALLOC_ARENA_MAX=1", "SWIFT_BACKTRACE=enable=no",
    ]

    /// Starts a child with the descriptors of `Wire`. Gives the parent's ends of its socket and (non-blocking) its
    /// errors.
    private static func start(
        _ recipe: ChildRecipe, pack: Int32, messages: Int32
    ) throws(ChildError) -> (pid: pid_t, socket: Int32, errors: Int32) {
        var sockets: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
            throw .own(ParserError(.cannotStart, "socketpair", errno))
        }
        guard pipe2(&errors, O_CLOEXEC | O_NONBLOCK) == 0 else {
            let error = ParserError(.cannotStart, "pipe", errno)
            sockets.forEach { close($0) }
            throw .own(error)
        }
        let words = (["fundmail"] + recipe.arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let files = [sockets[1], sockets[1], errors[1], pack, messages]
        // Only SIGPIPE is heard again: a stop that is sent to all processes of a service, which the parent ignores and
        // handles itself, is not for its children; it ends them in order.
        let code = fundmail_spawn(&pid, recipe.executable, words, variables, files, Int32(files.count), SIGPIPE)
        close(sockets[1])
        close(errors[1])
        guard code == 0 else {
            close(sockets[0])
            close(errors[0])
            throw .own(ParserError(.cannotStart, recipe.executable, code))
        }
        return (pid, sockets[0], errors[0])
    }
}

/// Watches how long a child takes for one message: by the wall clock, and by the processor time of all its threads.
struct ChildWatch {
    /// Processor time is looked at this often, and not before: it costs a message that is not slow nothing.
    private static let checkMilliseconds: Int32 = 1000

    private let pid: pid_t
    private let seconds: Double
    private let deadline: Double
    private var isSlow = false
    /// The child's clock, and what it said at the first look: at most a check's time late.
    private var processor: (clock: clockid_t, usedBefore: Double)?

    init(pid: pid_t, seconds: Double) {
        self.pid = pid
        self.seconds = seconds
        deadline = Self.now(CLOCK_MONOTONIC) + seconds
    }

    /// Milliseconds for poll(2) until the next look at the child. Throws when its time is up.
    mutating func nextCheck() throws(ChildError) -> Int32 {
        let left = deadline - Self.now(CLOCK_MONOTONIC)
        guard left > 0 else { throw .message("the parser was stopped after \(text)") }
        if let processor {
            guard Self.now(processor.clock) - processor.usedBefore <= seconds else {
                throw .message("the parser was stopped after \(text) of processor time")
            }
        } else if isSlow {
            var clock = clockid_t()
            if clock_getcpuclockid(pid, &clock) == 0 { processor = (clock, Self.now(clock)) }
        }
        isSlow = true
        return min(Int32((left * 1000).rounded(.up)), Self.checkMilliseconds)
    }

    private var text: String { "\(Int(seconds.rounded(.up))) s" }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
