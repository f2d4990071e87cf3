import CLinux
internal import Glibc

/// Something of the test's surroundings failed: a program is missing, or did not start.
package struct ServerFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A server program that surely ends: with `stop`, with the last reference, or, through a watchdog that holds the other
/// end of a pipe, when the test process dies however it dies. Its folder goes with it.
package final class ServerProcess: Sendable {
    /// Waits for standard input to end, then stops the server's whole process group and removes its folder.
    private static let watchdog = """
        folder=$1; log=$2; shift 2
        setsid "$@" </dev/null >"$log" 2>&1 &
        server=$!
        read -r _
        kill -KILL -$server 2>/dev/null
        wait
        rm -rf "$folder"
        """

    /// Every file of the server; removed at the end.
    package let folder: String
    package let logPath: String
    private let process: pid_t
    /// The write end of the watchdog's standard input.
    private let lifeline: Int32
    private let isStopped = Flag()

    /// - Parameter unprivileged: as a user without rights when the tests run as root.
    package init(_ arguments: [String], folder: String, unprivileged: Bool = false) throws {
        self.folder = folder
        logPath = "\(folder)/log"
        var pipe: [Int32] = [0, 0]
        // Close-on-exec from the start: a server started by another test must not keep this lifeline.
        guard pipe2(&pipe, O_CLOEXEC) == 0 else { throw ServerFailure("pipe2: \(errno)") }
        defer { close(pipe[0]) }
        let user = unprivileged ? Self.unprivilegedPrefix : []
        do {
            process = try Spawning.spawn(
                "/bin/sh", ["sh", "-c", Self.watchdog, "watchdog", folder, logPath] + user + arguments,
                isOwnSession: true
            ) { actions in posix_spawn_file_actions_adddup2(&actions, pipe[0], 0) }
        } catch {
            close(pipe[1])
            throw error
        }
        lifeline = pipe[1]
    }

    deinit { stop() }

    /// Stops it and waits until it is gone. Harmless when repeated.
    package func stop() {
        guard isStopped.raise() else { return }
        close(lifeline)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// The log of the server, as far as it can be read.
    package var log: String { (try? TestFile.read(logPath)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Puts a command under a user without rights where the tests run as root: mail servers refuse to serve root.
    package static var unprivilegedPrefix: [String] {
        geteuid() == 0 ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] : []
    }

    /// Where a program lies on the path of an administrator, or a path itself; nil where it is not installed.
    package static func find(_ program: String) -> String? {
        if program.hasPrefix("/") { return access(program, X_OK) == 0 ? program : nil }
        return ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/sbin", "/bin"].map { "\($0)/\(program)" }
            .first { access($0, X_OK) == 0 }
    }
}
