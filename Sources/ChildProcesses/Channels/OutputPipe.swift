internal import CLinux
internal import Glibc

/// A pipe for what a child writes. Its end for reading does not block.
package struct OutputPipe: Sendable {
    package let reading: Int32
    /// For the child; this process closes it when the child has started.
    package let writing: Int32

    /// - Parameter blocksWriter: a child that finds the pipe full waits; otherwise its write fails with EAGAIN.
    package init(blocksWriter: Bool) throws(ProcessError) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, blocksWriter ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK) == 0 else {
            throw ProcessError("pipe", code: errno)
        }
        (reading, writing) = (ends[0], ends[1])
        if blocksWriter { _ = fcntl(reading, F_SETFL, O_NONBLOCK) }
    }

    package func close() {
        Glibc.close(reading)
        Glibc.close(writing)
    }
}
