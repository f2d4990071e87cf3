internal import CLinux
internal import FundCore
internal import Glibc
internal import MailFetch
internal import Synchronization

/// Runs the command that prints an access token. It gets a few environment variables only: others may hold the secrets
/// of other mailboxes. Nothing that it prints is shown but the first line of its standard error when it fails, and the
/// error that an authorisation server reports.
struct TokenCommand: Sendable {
    /// Enough for a request to an authorisation server; a prompt would wait for ever.
    static let deadline = Duration.seconds(30)
    private static let maxBytes = 64 * 1024
    /// Programs are found by these, find their own settings, and choose how to print text.
    private static let plainVariables = ["PATH", "HOME", "LANG"]

    /// For `/bin/sh -c`.
    var command: String
    /// Environment variables that it gets in addition to `PATH`, `HOME` and `LANG`.
    var passing: [String] = []
    var cancellation: Cancellation
    var deadline = TokenCommand.deadline

    /// Blocks. Throws `CredentialError`, or `CancellationError` when cancelled; the command's process group is killed
    /// then.
    func run() throws -> AccessTokenText {
        let child = try start()
        defer {
            close(child.output)
            close(child.errors)
        }
        let end = ContinuousClock.now + deadline
        var (output, errors): ([UInt8], [UInt8]) = ([], [])
        var entries = [
            pollfd(fd: child.output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0),
            pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            // A process that the command started may keep its output open: only the end of the command itself counts.
            let status = child.statusIfEnded()
            if !read(child.output, into: &output) { entries[0].fd = -1 }
            if !read(child.errors, into: &errors) { entries[1].fd = -1 }
            if let status { return try token(output, errors, status) }
            if cancellation.isCancelled {
                child.kill()
                throw CancellationError()
            }
            if .now >= end || output.count > Self.maxBytes {
                child.kill()
                throw CredentialError.tokenCommand(
                    .now >= end ? "takes longer than \(deadline)" : "prints more than a token")
            }
            poll(&entries, nfds_t(entries.count), 20)
        }
    }

    private func token(_ output: [UInt8], _ errors: [UInt8], _ status: Int32) throws(CredentialError) -> AccessTokenText
    {
        guard status == 0 else {
            let signal = fundmail_signal_of_status(status)
            let end = signal > 0 ? "was ended by signal \(signal)" : "failed with status \(status >> 8 & 0xFF)"
            let line = errors.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.prefix(300)
            let said = String(decoding: line, as: UTF8.self).label
            throw .tokenCommand(said.isEmpty ? end : "\(end): \(said)")
        }
        return try AccessTokenText(printed: String(decoding: output, as: UTF8.self), at: .now)
    }

    /// False at the end of the stream.
    private func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return false }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if bytes.count <= Self.maxBytes { bytes.append(contentsOf: chunk[..<count]) }
        }
    }

    // MARK: The process

    private struct Child {
        var pid: pid_t
        /// Non-blocking.
        var output: Int32
        var errors: Int32

        func statusIfEnded() -> Int32? {
            var status: Int32 = 0
            return waitpid(pid, &status, WNOHANG) == pid ? status : nil
        }

        func kill() {
            Glibc.kill(-pid, SIGKILL)
            var status: Int32 = 0
            _ = SystemCall.retrying { Int(waitpid(pid, &status, 0)) }
        }
    }

    private func start() throws -> Child {
        var (output, errors): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe2(&output, O_CLOEXEC) == 0 else { throw notStarted(errno) }
        guard pipe2(&errors, O_CLOEXEC) == 0 else {
            let error = notStarted(errno)
            output.forEach { close($0) }
            throw error
        }
        for end in [output[0], errors[0]] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let texts = ["sh", "-c", command]
        let words = texts.map { strdup($0) } + [nil]
        let variables = Set(Self.plainVariables + passing).sorted().compactMap { name in
            getenv(name).flatMap { strdup("\(name)=\(String(cString: $0))") }
        }
        defer { (words + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let code = fundmail_spawn(&pid, "/bin/sh", words, variables + [nil], [-1, output[1], errors[1]], 3, 0)
        close(output[1])
        close(errors[1])
        guard code == 0 else {
            close(output[0])
            close(errors[0])
            throw notStarted(code)
        }
        return Child(pid: pid, output: output[0], errors: errors[0])
    }

    private func notStarted(_ code: Int32) -> CredentialError {
        .tokenCommand("cannot be started: \(String(cString: strerror(code)))")
    }
}

/// A token that is kept until a server refuses it or it is about to expire: not every login asks for a new one.
final class AccessToken: Sendable {
    /// A token with less time left is fetched anew: it might expire on its way, or by the server's clock.
    static let leastTime = Duration.seconds(60)

    private let token = Mutex<AccessTokenText?>(nil)
    private let now: @Sendable () -> Timestamp
    private let fetch: @Sendable () throws -> AccessTokenText

    init(
        now: @escaping @Sendable () -> Timestamp = { .now }, fetch: @escaping @Sendable () throws -> AccessTokenText
    ) {
        (self.now, self.fetch) = (now, fetch)
    }

    /// Blocks while it is fetched. Throws what `fetch` throws.
    func value(isRefused: Bool) throws -> AccessTokenText {
        if !isRefused, let known = token.withLock({ $0 }), isLasting(known) { return known }
        let fresh = try fetch()
        token.withLock { $0 = fresh }
        return fresh
    }

    private func isLasting(_ token: AccessTokenText) -> Bool {
        guard let expiry = token.expiresAt else { return true }
        return expiry - now() >= Self.leastTime
    }
}
