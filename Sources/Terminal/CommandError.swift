import Glibc

/// Exit statuses of both commands: those of sysexits.h where there is one that fits.
package enum ExitStatus: Int32, Sendable {
    /// There is no such thing, or the name is taken.
    case refused = 1
    case usage = 64
    /// The input cannot be read, or says something that cannot be done.
    case input = 65
    /// A server cannot be reached, or the parser child does not start.
    case unavailable = 69
    /// A failure that no input should be able to cause.
    case software = 70
    /// The store, or a file of this machine, cannot be written.
    case cannotCreate = 73
    /// Standard output cannot be written.
    case outputFailed = 74
    /// Try again later: another process holds the store, or a server is busy.
    case temporary = 75
    /// The server's answer is not understood.
    case `protocol` = 76
    /// Not signed in, or not allowed.
    case denied = 77
    case configuration = 78
}

/// Why a command failed: a sentence for people that says what to do next, and the exit status.
package struct CommandError: Error, Sendable, CustomStringConvertible {
    package var status: ExitStatus
    package var message: String
    /// Whether the reader of standard output has closed it, as `head` does: no mistake that people want to hear of.
    package private(set) var isReaderGone = false

    package init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    init(outputFailedWith number: Int32) {
        self.init(.outputFailed, "The output cannot be written: \(String(cString: strerror(number))).")
        isReaderGone = number == EPIPE
    }

    package var description: String { message }

    /// This error, said about a thing.
    package func about(_ name: String) -> CommandError {
        var error = self
        error.message = "\(name): \(message)"
        return error
    }
}
