internal import ChildProcesses
internal import Glibc
import FundCore

/// Why a message got no answer.
enum ChildError: Error {
    /// The child failed at a message: the message is refused, and the child replaced.
    case message(String)
    /// The parent failed: nothing can be said about the message.
    case own(any Error)

    /// A failure of the operating system, which is the parent's.
    init(_ code: ParserError.Code, _ error: ProcessError) {
        self = .own(ParserError(code, error.operation, error.code))
    }

    /// Runs `body`, and throws its failure as one of the parent.
    static func catching<Value: ~Copyable>(
        _ code: ParserError.Code, _ body: () throws(ProcessError) -> Value
    ) throws(ChildError) -> Value {
        do throws(ProcessError) { return try body() } catch { throw ChildError(code, error) }
    }
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
    /// Longest time for one document of the web, which is at most 6 MiB. A child takes a second for that.
    var feedSeconds: Double = 20
    /// For tests that cannot wait: instead of `ParseLimits.maxSeconds`.
    var maxSeconds: Double?
}

/// One child process, from its start to its end.
final class ChildProcess {
    /// Why an answer is missing when the socket was closed; `end` replaces it by the exit status or the signal.
    static let ended = "the parser ended"

    private let child: ChildHandle
    /// Confinement that the child reported before it read anything.
    private(set) var confinement: ChildConfinement = []
    var pid: Int32 { child.pid }
    private let socket: Int32
    private var errors: PipeReader
    private var frame = FrameBuffer(maxBytes: Wire.maxResponseBytes)
    private var isReaped = false
    /// Whether its time passed while it, or this process, was frozen: a message that it had may be sound.
    private(set) var wasFrozen = false
    /// Frames that are to come: `ready`, then an answer for each request.
    private var waiting = 1

    /// Starts a child and waits until it says that it is ready.
    ///
    /// - Parameters: see `Wire`.
    init(_ recipe: ChildRecipe, pack: Int32, messages: Int32) throws(ChildError) {
        let started = try Self.start(recipe, pack: pack, messages: messages)
        (child, socket, errors) = (started.child, started.socket, PipeReader(started.errors, keeping: .end))
        do throws(ChildError) {
            let greeting = try receive(within: recipe.startSeconds) { Array($0) }
            guard greeting.count == 2, greeting[0] == Wire.Kind.ready.rawValue else {
                throw .message("it broke the protocol")
            }
            confinement = ChildConfinement(rawValue: greeting[1])
        } catch {
            guard case .message(let what) = error else { throw error }
            throw .own(ParserError(.cannotStart, "\(recipe.executable): \(end(because: what).text)"))
        }
    }

    deinit {
        if !isReaped {
            child.kill()
            child.wait()
        }
        close(socket)
        close(errors.descriptor)
    }

    /// False when the child is gone. Frames of requests are far smaller than a socket's buffer, so they go at once.
    func send(_ request: [UInt8], _ descriptor: Int32) -> Bool {
        waiting += 1
        return LocalSocket.send(request, [descriptor], to: socket)
    }

    /// Sends several requests at once, at most `Wire.maxWaiting`, whose messages are in the memory.
    func send(_ requests: [UInt8], count: Int) -> Bool {
        waiting += count
        return LocalSocket.send(requests, to: socket)
    }

    /// Waits for one frame and reads it.
    func receive<Value>(
        within seconds: Double, _ read: (UnsafeRawBufferPointer) throws(ChildError) -> Value
    ) throws(ChildError) -> Value {
        var watch = ChildWatch(child, seconds: seconds)
        while true {
            let body: Range<Int>?
            do throws(FrameError) {
                body = try frame.body(isLast: waiting <= 1)
            } catch { throw .message("the parser broke the protocol: \(error.what)") }
            if let body {
                defer { frame.take(body) }
                waiting -= 1
                return try frame[body].withBytes(read)
            }
            try wait(&watch)
            switch frame.fill({ recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }) {
            case 1...: break
            case 0: throw .message(Self.ended)
            default:
                if errno == EINTR || errno == EAGAIN { continue }
                throw .message(Self.ended)
            }
        }
    }

    /// Whether it has sent something that was not read yet, or has ended.
    var hasAnswer: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Until there is something to read, or the child's time is up.
    private func wait(_ watch: inout ChildWatch) throws(ChildError) {
        while true {
            let milliseconds: Int32
            do throws(ChildWatch.Expiry) { milliseconds = try watch.nextCheck() } catch {
                wasFrozen = error.wasFrozen
                throw .message("the parser was stopped after \(error.text)")
            }
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
        let exit = what == Self.ended ? exitWithinASecond() : nil
        if exit == nil, !isReaped {
            child.kill()
            child.wait()
        }
        isReaped = true
        errors.read()
        var ending = Ending(text: what)
        if let signal = exit?.signal {
            ending.text = "the parser crashed: \(String(cString: strsignal(signal)))"
        } else if let code = exit?.code {
            ending.isPackFailure = code == Wire.packFailureStatus
            ending.text = "the parser ended by itself with status \(code)"
        }
        if let line = errors.lastLine { ending.text += ": \(line)" }
        return ending
    }

    /// Nil when it has not ended after a second.
    private func exitWithinASecond() -> ChildExit? {
        for _ in 0..<200 {
            if let exit = child.exitIfEnded() { return exit }
            usleep(5000)
        }
        return nil
    }
}

extension ChildProcess {
    /// Starts a child with the descriptors of `Wire`. Returns the parent's ends of its socket and its errors.
    private static func start(
        _ recipe: ChildRecipe, pack: Int32, messages: Int32
    ) throws(ChildError) -> (child: ChildHandle, socket: Int32, errors: Int32) {
        try ChildError.catching(.cannotStart) { () throws(ProcessError) in
            let sockets = try LocalSocket.pair(.stream)
            defer { close(sockets.other) }
            do throws(ProcessError) {
                let errors = try OutputPipe(blocksWriter: false)
                // A stop that is sent to all processes of a service, which the parent ignores and handles itself, is
                // not for its children; it ends them in order.
                let command = ChildCommand(
                    fundmail: recipe.executable, arguments: recipe.arguments,
                    descriptors: [sockets.other, sockets.other, errors.writing, pack, messages],
                    keepsIgnoredSignals: true)
                do throws(ProcessError) {
                    let child = try command.start()
                    close(errors.writing)
                    return (child, sockets.own, errors.reading)
                } catch {
                    errors.close()
                    throw error
                }
            } catch {
                close(sockets.own)
                throw error
            }
        }
    }
}
