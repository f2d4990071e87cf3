@testable import FundPreview

/// A program that took over a converter and tries to get out: a script for Python, which prints what it reached.
enum HostileProgram {
    /// `$1` is the input, then the process that started the sandbox, a port on this machine, a socket and a file of it.
    private static let script = """
        import ctypes, os, resource, signal, socket, sys
        victim, port, path, file = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
        libc = ctypes.CDLL(None, use_errno=True)
        reached = []
        skipped = sys.argv[6].split(",")
        def attempt(name, work):
            if name in skipped: return
            try:
                if work() is not False: reached.append(name)
            except (OSError, ValueError): pass
        def call(*arguments): return libc.syscall(*arguments) >= 0
        def connect(family, kind, address):
            s = socket.socket(family, kind); s.settimeout(2); s.connect(address)
        attempt("passwords", lambda: open("/etc/passwd").read())
        attempt("hosts", lambda: open("/etc/hosts").read())
        attempt("root", lambda: os.listdir("/root"))
        attempt("home", lambda: os.listdir("/home"))
        attempt("var", lambda: os.listdir("/var/lib"))
        attempt("a file", lambda: open(file).read())
        attempt("writing a file", lambda: open(file, "a"))
        attempt("rights of a file", lambda: os.chmod(file, 0o777))
        attempt("times of a file", lambda: os.utime(file, (1, 1)))
        attempt("a longer file", lambda: os.truncate(file, 0))
        attempt("removing a file", lambda: os.remove(file))
        attempt("a link to a file", lambda: os.link(file, "link"))
        attempt("renaming a file", lambda: os.rename(file, "moved"))
        attempt("a program", lambda: open("/usr/bin/fundmail-escape", "w"))
        attempt("a name in a shared folder", lambda: open("/var/tmp/fundmail-escape", "w"))
        attempt("a device", lambda: os.mknod("device", 0o600 | 0o060000, os.makedev(8, 0)))
        attempt("TCP", lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)))
        attempt("UDP", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port)))
        attempt("TCP 6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM))
        attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
        attempt("a local socket", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, path))
        attempt("an abstract socket", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + path))
        attempt("a local message", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        attempt("its memory", lambda: open("/proc/%d/mem" % victim, "rb"))
        attempt("its environment", lambda: open("/proc/%d/environ" % victim, "rb").read())
        attempt("its files", lambda: os.listdir("/proc/%d/fd" % victim))
        attempt("its parent's memory", lambda: open("/proc/%d/mem" % os.getppid(), "rb") if os.getppid() > 1 else False)
        attempt("tracing", lambda: libc.ptrace(16, victim, 0, 0) == 0)
        attempt("tracing its parent", lambda: libc.ptrace(16, os.getppid(), 0, 0) == 0)
        attempt("signals", lambda: os.kill(victim, 0))
        attempt("limits", lambda: resource.prlimit(victim, resource.RLIMIT_NOFILE, (16, 16)))
        attempt("priorities", lambda: os.setpriority(os.PRIO_PROCESS, victim, 19))
        attempt("more memory", lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)))
        attempt("namespaces", lambda: libc.unshare(0x10000000) == 0)
        attempt("mounts", lambda: libc.mount(b"none", b".", b"tmpfs", 0, None) == 0)
        attempt("another root", lambda: os.chroot("."))
        attempt("shared memory", lambda: libc.shmget(0, 1 << 20, 0o1600) >= 0)
        attempt("memory files", lambda: os.memfd_create("x"))
        attempt("BPF", lambda: call(321, 0, 0, 0))
        attempt("io_uring", lambda: call(425, 8, ctypes.create_string_buffer(256)))
        attempt("keys", lambda: call(250, 0, -3, 1))
        attempt("root again", lambda: os.setuid(0) if os.getuid() else False)
        attempt("changing its input", lambda: open(sys.argv[1], "r+b").write(b"changed"))
        for number in range(3, 64): attempt("descriptor %d" % number, lambda: os.fstat(number))
        print("reached " + ", ".join(reached))
        sys.stdout.flush()

        """

    /// The last act: those that started it.
    private static let last = """
        for number in (os.getppid(), -1):
            try: os.kill(number, signal.SIGKILL)
            except OSError: pass
        """

    /// Acts that would stop the tests or change the machine, if they worked.
    private static let dangerous =
        "tracing,tracing its parent,its parent's memory,mounts,another root,namespaces,a program,"
        + "a name in a shared folder,root again,more memory"

    /// A run without a sandbox shows what it would reach: its command line for Python, without the last act.
    static func openArguments(against outside: Bystanders) -> [String] {
        ["-I", "-c", script, "\(outside.folder.path)/input"] + words(outside) + [dangerous]
    }

    /// Words that name what it is to reach.
    private static func words(_ outside: Bystanders) -> [String] {
        ["\(outside.process)", "\(outside.listeners.port)", outside.listeners.path, outside.file]
    }

    static func command(against outside: Bystanders) -> SandboxCommand {
        let words = ["-I", "-c", script + last]
        let more = Self.words(outside) + [""]
        return SandboxCommand(
            program: "/usr/bin/python3", arguments: words.map { .text($0) } + [.input] + more.map { .text($0) },
            limits: SandboxLimits(memoryBytes: 512 << 20, processorSeconds: 10, wallSeconds: 20, fileBytes: 8 << 20))
    }
}
