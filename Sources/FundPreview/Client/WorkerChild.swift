internal import ChildProcesses
internal import Glibc
internal import Synchronization
import FundCore

/// The converter process where systemd does not start one: a child of this process, started when it is needed, and
/// again when it died.
final class WorkerChild: Sendable {
    private struct Running {
        var child: ChildHandle
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
    var pid: pid_t? { running.withLock { $0?.child.pid } }

    /// A connection to it. Blocks while it is started.
    func connect() throws(ProcessError) -> Int32 {
        let (own, other) = try LocalSocket.pair(.messages)
        defer { close(other) }
        do throws(ProcessError) {
            let isSent = try running.withLock { child throws(ProcessError) in
                if child == nil { child = try start() }
                if Self.send(other, to: child) { return true }
                // It has died since.
                Self.stop(&child)
                child = try start()
                return Self.send(other, to: child)
            }
            guard isSent else { throw ProcessError("start of the converter process", code: ECHILD) }
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
        child.map { LocalSocket.send([0], [connection], to: $0.socket) } ?? false
    }

    private static func stop(_ child: inout Running?) {
        guard let running = child else { return }
        child = nil
        close(running.socket)
        running.child.kill()
        running.child.wait()
    }

    private func start() throws(ProcessError) -> Running {
        guard !isClosed.load(ordering: .sequentiallyConsistent) else {
            throw ProcessError("the converter process is shut down", code: ESHUTDOWN)
        }
        let (own, other) = try LocalSocket.pair(.messages)
        defer { close(other) }
        // Its standard error goes where this process writes; its standard output is not used.
        let command = ChildCommand(
            fundmail: executable, arguments: arguments, descriptors: [-1, STDERR_FILENO, STDERR_FILENO, other],
            hasOwnSession: true)
        do throws(ProcessError) { return Running(child: try command.start(), socket: own) } catch {
            close(own)
            throw error
        }
    }
}
