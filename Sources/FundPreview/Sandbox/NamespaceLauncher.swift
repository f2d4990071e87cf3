internal import ChildProcesses
internal import Glibc
import FundCore

/// Runs a program in namespaces of its own, by bwrap(1).
enum NamespaceLauncher {
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
        let calls = try DeniedCalls.file(command.needsLocalSockets ? .local : .none)
        // bwrap reads from where it stands, which others of this job have moved.
        if let input { lseek(input, 0, SEEK_SET) }
        let words = words(for: command, hasInput: input != nil)
        guard access(NamespaceWords.program, X_OK) == 0 else {
            throw ProcessError(NamespaceWords.program, code: ENOENT)
        }
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

    private static func words(for command: SandboxCommand, hasInput: Bool) -> [String] {
        let inside = "/in/file\(command.suffix)"
        let limits = command.limits
        // Also without a session of its own the sandbox has a process group, which keeps signals in.
        var words = NamespaceWords.withoutRights + [NamespaceWords.program]
        words += NamespaceWords.namespaces + ["--unshare-net"]
        for variable in ConverterEnvironment.variables(home: "/tmp") {
            words += ["--setenv", variable.name, variable.value]
        }
        words += NamespaceWords.programs
        for path in lookups { words += ["--ro-bind-try", path, path] }
        words += ["--proc", "/proc", "--dev", "/dev"]
        if hasInput { words += ["--ro-bind-data", "\(Descriptor.input)", inside] }
        words += ["--size", "\(limits.scratchBytes)", "--tmpfs", "/tmp"]
        // The root and /dev/shm would be more memory to fill.
        words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]
        words += NamespaceWords.user(deniedCalls: Descriptor.deniedCalls)
        words += ["/usr/bin/prlimit", "--as=\(limits.memoryBytes)", "--fsize=\(limits.fileBytes)"]
        words += ["--nofile=\(limits.descriptors)", "--nproc=\(limits.processes)", "--core=0"]
        words += ["--cpu=\(limits.processorSeconds):\(limits.processorSeconds + 1)", "--", command.program]
        return words + command.arguments.map { $0.text(input: inside) }
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
