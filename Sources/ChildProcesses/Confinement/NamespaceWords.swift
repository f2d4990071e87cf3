internal import CLinux
internal import FundCore
internal import Glibc

/// Parts of a command line of bwrap(1), which runs a program in namespaces of its own.
package enum NamespaceWords {
    package static let program = "/usr/bin/bwrap"

    /// Gives up root before bwrap starts; empty where this process is not root.
    package static var withoutRights: [String] {
        guard geteuid() == 0 else { return [] }
        let user = "\(UnprivilegedUser.number)"
        return ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
    }

    /// Namespaces of all kinds but that of the network. No new session: each gets as much of the processors as all mail
    /// together (autogroups, sched(7)), which only work that a user waits for may have.
    package static let namespaces = [
        "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--clearenv",
    ]

    /// Programs and their libraries: /usr, and /bin, /lib and others, which are links into it, or folders beside it.
    package static let programs: [String] =
        ["--ro-bind", "/usr", "/usr"]
        + ["bin", "lib", "lib64", "sbin"].flatMap { name -> [String] in
            var status = stat()
            guard lstat("/\(name)", &status) == 0 else { return [] }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            return isLink ? ["--symlink", "usr/\(name)", "/\(name)"] : ["--ro-bind", "/\(name)", "/\(name)"]
        }

    /// The user without rights, and the system calls that the program may not make.
    /// - Parameter deniedCalls: a descriptor of `DeniedCalls.file`.
    package static func user(deniedCalls: Int) -> [String] {
        let user = "\(UnprivilegedUser.number)"
        return ["--uid", user, "--gid", user, "--cap-drop", "ALL", "--seccomp", "\(deniedCalls)"]
    }
}
