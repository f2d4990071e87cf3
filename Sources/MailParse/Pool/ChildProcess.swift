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

/// One child process, from its start to its end.
final class ChildProcess {
    /// Why an answer is missing when the socket was closed; `end` replaces it by the exit status or the signal.
    static let ended = "the parser ended"

    let pid: pid_t
    private let socket: Int32
    private var errors: ErrorOutput
    private var frame = FrameBuffer()
    private var isReaped = false

    /// Starts a child and waits until it says that it is ready.
    init(_ recipe: ChildRecipe, pack: Int32) throws(ChildError) {
        let started = try ChildSpawn.start(recipe, pack: pack)
        (pid, socket, errors) = (started.pid, started.socket, ErrorOutput(descriptor: started.errors))
        do throws(ChildError) {
            let isReady = try receive(within: recipe.startSeconds) { $0.elementsEqual([Wire.Kind.ready.rawValue]) }
            guard isReady else { throw .message("it broke the protocol") }
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
        while true {
            let count = request.withUnsafeBytes {
                fundmail_send_descriptor(socket, $0.baseAddress, $0.count, descriptor)
            }
            if count < 0, errno == EINTR { continue }
            return count == request.count
        }
    }

    /// Waits for one frame and reads it.
    func receive<Value>(
        within seconds: Double, _ read: (UnsafeRawBufferPointer) throws(ChildError) -> Value
    ) throws(ChildError) -> Value {
        var watch = ChildWatch(pid: pid, seconds: seconds)
        frame.removeAll()
        while true {
            let body: Range<Int>?
            do throws(WireError) {
                body = try frame.body()
            } catch { throw .message("the parser broke the protocol: \(error.what)") }
            if let body { return try frame.withBytes(body, read) }
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
            if count < 0, errno != EINTR { throw .own(ParserError(.cannotRead, String(cString: strerror(errno)))) }
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
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        isReaped = true
    }

    /// The wait status, nil when it has not ended after a second.
    private func reapWithinASecond() -> Int32? {
        var status: Int32 = 0
        for _ in 0..<200 {
            let ended = waitpid(pid, &status, WNOHANG)
            if ended == pid {
                isReaped = true
                return status
            }
            if ended < 0, errno != EINTR { return nil }
            usleep(5000)
        }
        return nil
    }
}
