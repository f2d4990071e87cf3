internal import MailConnection
internal import ChildProcesses
internal import FundCore
internal import Glibc
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
        let (outputPipe, errorPipe, child): (OutputPipe, OutputPipe, ChildHandle)
        do throws(ProcessError) { (outputPipe, errorPipe, child) = try start() } catch {
            throw CredentialError.tokenCommand("cannot be started: \(SystemText.of(error.code))")
        }
        defer {
            close(outputPipe.reading)
            close(errorPipe.reading)
        }
        let end = ContinuousClock.now + deadline
        var output = PipeReader(outputPipe.reading, keeping: .beginning, atMost: Self.maxBytes + 1)
        var errors = PipeReader(errorPipe.reading, keeping: .beginning)
        while true {
            // A process that the command started may keep its output open: only the end of the command itself counts.
            let exit = child.exitIfEnded()
            output.read()
            errors.read()
            if let exit { return try token(output, errors, exit) }
            if cancellation.isCancelled {
                child.killGroup()
                child.wait()
                throw CancellationError()
            }
            if .now >= end || output.bytes.count > Self.maxBytes {
                child.killGroup()
                child.wait()
                throw CredentialError.tokenCommand(
                    .now >= end ? "takes longer than \(deadline)" : "prints more than a token")
            }
            var entries = [output.isOpen ? output.descriptor : -1, errors.isOpen ? errors.descriptor : -1]
                .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            entries.append(pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0))
            poll(&entries, nfds_t(entries.count), 20)
        }
    }

    private func token(
        _ output: PipeReader, _ errors: PipeReader, _ exit: ChildExit
    ) throws(CredentialError) -> AccessTokenText {
        guard exit.shellStatus == 0 else {
            let end = exit.signal.map { "was ended by signal \($0)" } ?? "failed with status \(exit.code)"
            let line = errors.bytes.prefix { $0 != .lf && $0 != .cr }.prefix(300)
            let said = String(decoding: line, as: UTF8.self).label
            throw .tokenCommand(said.isEmpty ? end : "\(end): \(said)")
        }
        return try AccessTokenText(printed: output.text, at: .now)
    }

    private func start() throws(ProcessError) -> (output: OutputPipe, errors: OutputPipe, child: ChildHandle) {
        let output = try OutputPipe(blocksWriter: true)
        do throws(ProcessError) {
            let errors = try OutputPipe(blocksWriter: true)
            let variables = Set(Self.plainVariables + passing).sorted().compactMap { name in
                getenv(name).map { "\(name)=\(String(cString: $0))" }
            }
            let shell = ChildCommand(
                "/bin/sh", words: ["sh", "-c", command], variables: variables,
                descriptors: [-1, output.writing, errors.writing])
            do throws(ProcessError) {
                let child = try shell.start()
                close(output.writing)
                close(errors.writing)
                return (output, errors, child)
            } catch {
                errors.close()
                throw error
            }
        } catch {
            output.close()
            throw error
        }
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
