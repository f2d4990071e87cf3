internal import ChildProcesses
internal import CLinux
internal import Glibc
internal import FundCore
internal import Synchronization

/// One question to a scanner over a local socket. A scanner that hangs accepts and never answers: `ScannerInterrupt`
/// ends each step then. For one thread.
struct ScannerConnection: ~Copyable {
    private let descriptor: Int32
    private let interrupt: ScannerInterrupt

    /// - Parameter timeout: of connecting alone.
    init(_ path: String, timeout: Duration, _ interrupt: ScannerInterrupt) throws(ScannerError) {
        let descriptor: Int32
        do throws(ProcessError) {
            descriptor = try LocalSocket.connect(to: path, .stream, timeout: timeout)
        } catch {
            throw ScannerError("clamd cannot be reached at \(path): \(SystemText.of(error.code))")
        }
        LocalSocket.setTimeout(nil, of: descriptor)
        do throws(ScannerError) { try interrupt.attach(descriptor) } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.interrupt = interrupt
    }

    deinit {
        interrupt.detach()
        close(descriptor)
    }

    /// - Parameter problem: where nothing interrupted it.
    private func error(_ problem: String) -> ScannerError {
        let text = SystemText.of(errno)
        return ScannerError(interrupt.reason ?? "\(problem): \(text)")
    }

    func send(_ bytes: UnsafeRawBufferPointer) throws(ScannerError) {
        guard SystemCall.writeAll(bytes, { sendQuietly(descriptor, $0) }) else {
            throw error("clamd does not take more")
        }
    }

    func send(_ text: String) throws(ScannerError) {
        let isSent = Array(text.utf8).withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { sendQuietly(descriptor, $0) }
        }
        guard isSent else { throw error("clamd does not take more") }
    }

    /// - Parameter file: the descriptor of one, which goes with a byte of its own.
    func send(file: Int32) throws(ScannerError) {
        guard LocalSocket.send([0], [file], to: descriptor) else { throw error("clamd does not take a file") }
    }

    /// Up to the NUL that ends it: without that it is none, since its end may be missing.
    func answer(atMost limit: Int) throws(ScannerError) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: limit)
        while !bytes.contains(0) {
            guard bytes.count < limit else { throw ScannerError("clamd's answer has no end") }
            let count = SystemCall.retrying { recv(descriptor, &chunk, chunk.count, 0) }
            guard count >= 0 else { throw error("clamd does not answer") }
            guard count > 0 else {
                let problem = bytes.isEmpty ? "clamd hung up without an answer" : "clamd hung up within its answer"
                throw ScannerError(interrupt.reason ?? problem)
            }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// Ends the questions of one scan from another thread: when its time is over, or its task is cancelled.
final class ScannerInterrupt: Sendable {
    private struct State {
        /// Descriptor of the connection that is open.
        var descriptor: Int32?
        var reason: String?
    }

    private let state = Mutex(State())

    /// In words for an administrator; nil as long as nothing has ended it.
    var reason: String? { state.withLock { $0.reason } }

    /// Throws where it has ended.
    func attach(_ descriptor: Int32) throws(ScannerError) {
        let reason = state.withLock { state in
            if state.reason == nil { state.descriptor = descriptor }
            return state.reason
        }
        if let reason { throw ScannerError(reason) }
    }

    /// To be called before the connection is closed: its number may belong to another file afterwards.
    func detach() { state.withLock { $0.descriptor = nil } }

    func end(_ reason: String) {
        state.withLock { state in
            state.reason = state.reason ?? reason
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}

/// send(2) without SIGPIPE.
private func sendQuietly(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
}
