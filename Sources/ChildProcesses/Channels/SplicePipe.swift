internal import CLinux
internal import FundCore
internal import Glibc

/// A pipe by which the kernel moves bytes from one socket to another (splice(2)): nothing is copied. Neither call
/// waits; both return a number of bytes, and -1 with errno(3), which is EAGAIN where there is none now.
package struct SplicePipe: ~Copyable {
    /// More than the pipe takes: it has room for 16 parts, whatever their sizes are.
    private static let mostBytes = 1 << 20

    private let pipe: OutputPipe
    /// Bytes that are in it.
    package private(set) var count = 0

    package init() throws(ProcessError) { pipe = try OutputPipe(blocksWriter: false) }

    deinit { pipe.close() }

    package var isEmpty: Bool { count == 0 }

    /// Takes bytes of a socket that does not block; 0 at its end. The pipe has to be empty.
    package mutating func fill(from socket: Int32) -> Int {
        let came = SystemCall.retrying { fundmail_splice(socket, pipe.writing, Self.mostBytes) }
        if came > 0 { count += came }
        return came
    }

    /// Gives bytes to a socket that does not block. The calling thread has SIGPIPE blocked: this call would raise it.
    package mutating func drain(into socket: Int32) -> Int {
        let sent = SystemCall.retrying { fundmail_splice(pipe.reading, socket, count) }
        if sent > 0 { count -= sent }
        return sent
    }
}
