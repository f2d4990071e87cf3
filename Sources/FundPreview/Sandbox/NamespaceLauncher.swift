internal import ChildProcesses
internal import Glibc
import FundCore

/// Runs a program in namespaces of its own, by bwrap(1).
enum NamespaceLauncher {
    private static let program = "/usr/bin/bwrap"

    /// The descriptors of bwrap behind the three of every program.
    private enum Descriptor {
        static let deniedCalls = 3
        static let input = 4
    }

    /// Programs and their libraries, and what they look up: fonts, the list of libraries, settings of soffice.
    private static let lookups = [
        "/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives", "/etc/libreoffice", "/var/cache/fontconfig",
    ]

    static func run(
        _ command: SandboxCommand, input: Int32?, cancellation: Int32?
    ) throws(ProcessError) -> SandboxRun {
        let output = try MemoryFile()
        let calls = try deniedCalls(localSockets: command.needsLocalSockets)
        // bwrap reads from where it stands, which others of this job have moved.
        if let input { lseek(input, 0, SEEK_SET) }
        let words = words(for: command, hasInput: input != nil)
        guard access(program, X_OK) == 0 else { throw ProcessError(program, code: ENOENT) }
        let process = try SupervisedChild(
            ChildCommand(
                words[0], words: words, variables: [],
                descriptors: [-1, output.descriptor, -1, calls.descriptor, input ?? -1],
                hasOwnSession: command.isAwaited))
        let (end, time, errors) = process.wait(
            command.limits.wallSeconds, cancellation: cancellation, stop: { $0.kill() })
        // bwrap does not wait for the first process inside, which waits for all that ran there.
        return SandboxRun(end: end, processorSeconds: time.ofOrphans, errors: errors, output: output)
    }

    /// The program of seccomp(2), in a file of its own: bwrap reads it from where it stands to its end.
    private static func deniedCalls(localSockets: Bool) throws(ProcessError) -> MemoryFile {
        guard let program = DeniedCalls.program(allowsLocalSockets: localSockets) else {
            throw ProcessError("system calls of this machine", code: ENOTSUP)
        }
        let file = try MemoryFile()
        try file.write(program)
        return file
    }

    private static func words(for command: SandboxCommand, hasInput: Bool) -> [String] {
        let inside = "/in/file\(command.suffix)"
        let limits = command.limits
        var words = geteuid() == 0 ? withoutRights : []
        words.append(program)
        words += ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
        // No new session here: each gets as much of the processors as all mail together (autogroups, sched(7)), which
        // only work that a user waits for may have. The one of this process has no terminal, and a process group of
        // the sandbox's own keeps signals in.
        words += ["--unshare-cgroup-try", "--die-with-parent", "--clearenv"]
        for variable in ConverterEnvironment.variables(home: "/tmp") {
            words += ["--setenv", variable.name, variable.value]
        }
        words += ["--ro-bind", "/usr", "/usr"] + systemFolders
        for path in lookups { words += ["--ro-bind-try", path, path] }
        words += ["--proc", "/proc", "--dev", "/dev"]
        if hasInput { words += ["--ro-bind-data", "\(Descriptor.input)", inside] }
        words += ["--size", "\(limits.scratchBytes)", "--tmpfs", "/tmp"]
        // The root and /dev/shm would be more memory to fill.
        words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]
        let user = "\(UnprivilegedUser.number)"
        words += ["--uid", user, "--gid", user, "--cap-drop", "ALL", "--seccomp", "\(Descriptor.deniedCalls)"]
        words += ["/usr/bin/prlimit", "--as=\(limits.memoryBytes)", "--fsize=\(limits.fileBytes)"]
        words += ["--nofile=\(limits.descriptors)", "--nproc=\(limits.processes)", "--core=0"]
        words += ["--cpu=\(limits.processorSeconds):\(limits.processorSeconds + 1)", "--", command.program]
        return words + command.arguments.map { $0.text(input: inside) }
    }

    private static let withoutRights = [
        "/usr/bin/setpriv", "--reuid=\(UnprivilegedUser.number)", "--regid=\(UnprivilegedUser.number)",
        "--clear-groups",
    ]

    /// /bin, /lib and others are links into /usr, or folders beside it.
    private static let systemFolders: [String] = ["bin", "lib", "lib64", "sbin"].flatMap { name -> [String] in
        var status = stat()
        guard lstat("/\(name)", &status) == 0 else { return [] }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        return isLink ? ["--symlink", "usr/\(name)", "/\(name)"] : ["--ro-bind", "/\(name)", "/\(name)"]
    }
}

extension SandboxCommand.Word {
    /// - Parameter input: its path inside.
    func text(input: String) -> String {
        switch self {
        case .text(let text): text
        case .input: input
        case .inputWith(let text): input + text
        }
    }
}

/// The whole environment of a converter.
enum ConverterEnvironment {
    /// - Parameter home: the folder in which it can write.
    static func variables(home: String) -> [(name: String, value: String)] {
        [
            ("PATH", "/usr/bin:/bin"), ("HOME", home), ("TMPDIR", home), ("LANG", "C.UTF-8"),
            // One thread, and none of the readers that libvips holds to be unsafe.
            ("VIPS_CONCURRENCY", "1"), ("VIPS_BLOCK_UNTRUSTED", "1"), ("OMP_THREAD_LIMIT", "1"),
            // Address space is limited; each arena reserves 64 MiB of it.
            ("MALLOC_ARENA_MAX", "2"), ("SAL_USE_VCLPLUGIN", "svp"),
        ]
    }
}
