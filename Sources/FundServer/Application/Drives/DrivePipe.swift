internal import FundCore
internal import Glibc
internal import Hummingbird
internal import Synchronization

/// Bytes on their way from the thread that reads a drive to the task that sends them. The kernel's buffer bounds them:
/// a client that reads slowly makes the thread wait.
final class DrivePipe: Sendable {
    /// Bytes that the kernel's buffer surely takes at once when it is empty: a reader that found it empty waits for the
    /// end of a call, and a call with more would wait for the reader.
    private static let pieceSize = 64 * 1024

    private let (input, output): (CInt, CInt)
    private let signal = Signal()
    private let end = Mutex<Result<Void, any Error>?>(nil)

    /// Throws `DriveError` when the process has no descriptor left.
    init() throws {
        var sockets: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &sockets) == 0 else { throw DriveError(.broken, "no descriptor is left") }
        (input, output) = (sockets[0], sockets[1])
    }

    deinit {
        close(input)
        close(output)
    }

    // MARK: For who reads the drive

    /// Writes all bytes, and waits for room. Throws when the reader has gone.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = send(input, start, min(rest.count, Self.pieceSize), CInt(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CancellationError() }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            signal.raise()
        }
    }

    /// Says that no more bytes come.
    /// - Parameter result: an error that the reader gets behind the bytes.
    func finish(_ result: Result<Void, any Error>) {
        end.withLock { $0 = $0 ?? result }
        signal.raise()
    }

    // MARK: For who sends the bytes

    /// The next bytes, at most `count`; empty at the end. Throws the error with which the other side ended.
    func read(atMost count: Int) async throws -> ByteBuffer {
        var bytes = ByteBuffer()
        while true {
            // Both are read before the socket is: what comes afterwards ends the wait.
            let (known, ended) = (signal.count, end.withLock { $0 })
            let got = bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
                max(0, recv(output, room.baseAddress, min(count, room.count), CInt(MSG_DONTWAIT)))
            }
            if got > 0 { return bytes }
            if let ended {
                try ended.get()
                return ByteBuffer()
            }
            _ = try await signal.count(after: known)
        }
    }

    /// Ends the waits of the writer, whose next bytes fail.
    func stopReading() { shutdown(output, CInt(SHUT_RDWR)) }
}
