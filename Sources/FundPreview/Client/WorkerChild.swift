import CLinux
internal import Glibc
internal import Synchronization
import FundCore

/// The converter process where systemd does not start one: a child of this process, started when it is needed, and
/// again when it died.
final class WorkerChild: Sendable {
    private struct Running {
        var pid: pid_t
        /// Over which it gets connections; it ends when this is closed.
        var socket: Int32
    }

    private let executable: String
    private let arguments: [String]
    /// Nil while there is none.
    private let running = Mutex<Running?>(nil)
    private let isClosed = Atomic(false)

    init(executable: String, arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    deinit { end() }

    /// Its process; nil while there is none.
    var pid: pid_t? { running.withLock { $0?.pid } }

    /// A connection to it. Blocks while it is started.
    func connect() throws(SandboxError) -> Int32 {
        let (own, other) = try ConvertSocket.pair()
        defer { close(other) }
        do throws(SandboxError) {
            let isSent = try running.withLock { child throws(SandboxError) in
                if child == nil { child = try start() }
                if Self.send(other, to: child) { return true }
                // It has died since.
                Self.stop(&child)
                child = try start()
                return Self.send(other, to: child)
            }
            guard isSent else { throw SandboxError("start of the converter process", code: ECHILD) }
        } catch {
            close(own)
            throw error
        }
        return own
    }

    /// Ends it, with all that it runs. It is not started again.
    func end() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        running.withLock { Self.stop(&$0) }
    }

    /// Ends a process that does not answer; the next connection starts another one.
    func restart() { running.withLock { Self.stop(&$0) } }

    private static func send(_ connection: Int32, to child: Running?) -> Bool {
        child.map { ConvertSocket.send([0], [connection], to: $0.socket) } ?? false
    }

    private static func stop(_ child: inout Running?) {
        guard let running = child else { return }
        child = nil
        close(running.socket)
        kill(running.pid, SIGKILL)
        var seconds = 0.0
        _ = fundmail_wait(running.pid, &seconds)
    }

    /// One malloc arena, since little is ever held; no backtrace, for a quick crash.
    private static let environment = [
        "LANG=C.UTF-8", "PATH=/usr/bin:/bin", "MALLOC_ARENA_MAX=1", "SWIFT_BACKTRACE=enable=no",
    ]

    private func start() throws(SandboxError) -> Running {
        guard !isClosed.load(ordering: .sequentiallyConsistent) else {
            throw SandboxError("the converter process is shut down", code: ESHUTDOWN)
        }
        let (own, other) = try ConvertSocket.pair()
        defer { close(other) }
        let words = (["fundmail"] + arguments).map { strdup($0) } + [nil]
        let variables = Self.environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        // What it says on standard error goes where this process writes; its standard output is not used.
        var pid: pid_t = 0
        let files = [-1, STDERR_FILENO, STDERR_FILENO, other]
        let code = fundmail_spawn_session(&pid, executable, words, variables, files, Int32(files.count), 0)
        guard code == 0 else {
            close(own)
            throw SandboxError(executable, code: code)
        }
        return Running(pid: pid, socket: own)
    }
}
