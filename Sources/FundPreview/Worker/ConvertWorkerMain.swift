internal import ChildProcesses
internal import Glibc
import FundCore

/// The process of converters: what `fundmail convert-worker` runs. Descriptor 3 is a socket of messages: one that
/// listens, from systemd, or one over which the parent sends a connected socket for each request. A connection has one
/// request; closing it ends the work.
package enum ConvertWorkerMain {
    package static let command = "convert-worker"

    /// Number of the socket, as in sd_listen_fds(3).
    static let socket: Int32 = 3

    private static let systemFailureStatus: Int32 = 71  // EX_OSERR of sysexits.h
    private static let usageStatus: Int32 = 64  // EX_USAGE

    /// Serves requests until the parent goes away, or for good where the socket listens. Returns the exit status.
    ///
    /// - Parameter arguments: behind the command: nothing, or a `Sandbox.Choice`.
    package static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count <= 1, let choice = Sandbox.Choice(rawValue: arguments.first ?? "best") else {
            return usageStatus
        }
        // Before it becomes another user, to whom the kernel shows these files as root's.
        ProcessSettings.giveWay()
        preferForMemoryKills()
        guard UnprivilegedUser.become(), ProcessSettings.forbidNewPrivileges() else {
            return systemFailureStatus
        }
        // A signal that the one who started this blocked must be able to end it.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_IGN)
        // A limit of files that a converter reaches must not end this process.
        signal(SIGXFSZ, SIG_IGN)
        var (listens, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 else { return usageStatus }
        let sandbox = Sandbox(choice, executable: "/proc/self/exe")
        switch sandbox.kind {
        // Within Landlock the launchers do it themselves.
        case .namespaces: guard ProcessSettings.adoptOrphans() else { return systemFailureStatus }
        case .landlock: LandlockScratch.removeLeft()
        case .none: break
        }
        return ConvertService(sandbox, listens: listens != 0).run(socket)
    }

    /// When the machine runs out of memory, converters end before anything else does (proc(5)).
    private static func preferForMemoryKills() {
        let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, "800", 3)
        close(file)
    }
}
