internal import ChildProcesses
internal import Glibc
internal import Synchronization
import FundCore

/// One request to a converter process, as its caller sees it.
final class ConvertConnection: Sendable {
    private let socket: Int32
    private let isOpen = Mutex(true)

    init(takingOwnershipOf socket: Int32) { self.socket = socket }

    deinit { end() }

    /// Closes it; what is under way there ends.
    func end() {
        isOpen.withLock { isOpen in
            if isOpen { close(socket) }
            isOpen = false
        }
    }

    /// Tells the other end that its answer is not wanted: it ends its work, then closes the connection, for which
    /// `answer` waits.
    func cancel() {
        isOpen.withLock { isOpen in
            if isOpen { shutdown(socket, Int32(SHUT_WR)) }
        }
    }

    /// Sends the request, and waits for its answer; nil when the other end died or was told to stop. Blocks.
    ///
    /// - Parameters:
    ///   - descriptors: the input and the output of a conversion.
    ///   - seconds: the longest time that any answer takes.
    func answer(
        to request: ConvertRequest, _ descriptors: [Int32] = [], within seconds: Double
    ) throws(ProcessError) -> ConvertAnswer? {
        guard LocalSocket.send(request.bytes, descriptors, to: socket) else {
            if [EPIPE, ECONNRESET, ENOTCONN].contains(errno) { return nil }
            throw ProcessError("request to the converter process", code: errno)
        }
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let left = ContinuousClock.now.duration(to: deadline).seconds
            guard left > 0 else { throw ProcessError("the converter process does not answer", code: ETIMEDOUT) }
            let count = poll(&polled, 1, Int32((left * 1000).rounded(.up)))
            if count > 0 { break }
            if count < 0, errno != EINTR { throw ProcessError("poll", code: errno) }
        }
        guard let message = LocalSocket.receive(from: socket, maxBytes: ConvertRequest.maxMessageBytes) else {
            return nil
        }
        message.descriptors.forEach { close($0) }
        do { return try ConvertAnswer(message.bytes) } catch {
            throw ProcessError("an answer of another version of the converter process", code: EPROTO)
        }
    }
}
