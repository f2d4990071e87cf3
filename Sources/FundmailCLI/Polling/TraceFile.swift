internal import MailConnection
import FundCore
import Glibc
import Synchronization
import Terminal

/// `--trace`: what is said to mail servers, without secrets and messages. Appended to; only its owner can read it.
final class TraceFile: Sendable {
    private let descriptor: Int32
    private let didFail = Mutex(false)

    /// Throws `CommandError` when it cannot be written.
    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandError(.usage, "The trace cannot be written to \(path): \(SystemText.of(errno)).")
        }
        // One that was there before may be open to others; a terminal or a pipe stays what it is.
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { fchmod(descriptor, 0o600) }
    }

    deinit { close(descriptor) }

    func transcript(of mailbox: String) -> Transcript {
        Transcript { [self] line in write("\(WrittenTime.preciseNow()) \(mailbox) \(TerminalText.clean(line))\n") }
    }

    private func write(_ line: String) {
        didFail.withLock { didFail in
            guard !didFail else { return }
            let bytes = Array(line.utf8)
            // One call a line, so that mailboxes do not mix theirs.
            guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
                didFail = true
                Console.warn("the trace cannot be written any more: \(SystemText.of(errno))")
                return
            }
        }
    }
}
