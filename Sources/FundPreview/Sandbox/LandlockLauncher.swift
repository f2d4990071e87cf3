internal import ChildProcesses
internal import Glibc
import FundCore

/// The command `fundmail convert-launch`: starts a program within Landlock, seccomp and limits, in a folder of its own,
/// and stays to end it. Standard input is the file to convert; when descriptor 3, a socket, is closed at its other end,
/// all ends. Over it goes the number of the program's process group, and a byte when nothing of that is left.
package enum LandlockLauncher {
    package static let command = "convert-launch"

    /// The program filled the disk.
    private static let noSpaceStatus: Int32 = 128 + SIGXFSZ
    private static let systemFailureStatus: Int32 = 71  // EX_OSERR of sysexits.h
    private static let usageStatus: Int32 = 64  // EX_USAGE
    private static let holder: Int32 = 3

    /// Least limit of all processes and threads of this user: without a user namespace they are not counted apart.
    private static let leastProcesses: UInt64 = 768

    /// The command line of a launcher.
    ///
    /// - Parameter scratch: the path of a folder that does not exist yet.
    static func words(for command: SandboxCommand, scratch: String) -> [String] {
        let limits = command.limits
        let numbers = [
            limits.memoryBytes, limits.processorSeconds, limits.fileBytes, limits.scratchBytes,
            max(limits.processes, leastProcesses), limits.descriptors, command.needsLocalSockets ? 1 : 0,
        ]
        let input = "\(scratch)/input\(command.suffix)"
        return ["fundmail", Self.command] + numbers.map { String($0) } + [scratch, input, command.program]
            + command.arguments.map { $0.text(input: input) }
    }

    /// Runs as `words` say, without the name of the program and of the command. Returns the exit status: that of the
    /// program, or 128 and the number of the signal that ended it.
    package static func run(_ arguments: [String]) -> Int32 {
        let numbers = arguments.prefix(7).compactMap { UInt64($0) }
        let words = Array(arguments.dropFirst(9))
        guard numbers.count == 7, arguments.count >= 10 else { return usageStatus }
        let (scratch, input) = (arguments[7], arguments[8])
        guard UnprivilegedUser.become() else { return systemFailureStatus }
        // Converters that lose their parent become children of this process, and end with it.
        guard ProcessSettings.adoptOrphans(), LandlockScratch.make(scratch) else {
            return systemFailureStatus
        }
        defer {
            LandlockScratch.remove(scratch)
            if numbers[6] != 0 { removeSockets() }
        }
        guard copyInput(to: input) else { return systemFailureStatus }
        let child = start(words, numbers, scratch: scratch)
        guard let child else { return systemFailureStatus }
        let status = supervise(child, scratch: scratch, scratchBytes: numbers[3])
        var done: UInt8 = 1
        _ = send(holder, &done, 1, Int32(MSG_NOSIGNAL))
        return status
    }

    /// Finishes, at the other end of the holder, the work of a launcher that was killed.
    ///
    /// - Parameters:
    ///   - holder: what the launcher wrote to it is read.
    ///   - scratch: as in `words`.
    static func finish(_ holder: Int32, scratch: String) {
        var (group, done): (pid_t, UInt8) = (0, 0)
        guard recv(holder, &group, MemoryLayout<pid_t>.size, Int32(MSG_DONTWAIT)) == MemoryLayout<pid_t>.size,
            group > 1
        else {
            // No program was started.
            if access(scratch, F_OK) == 0 { LandlockScratch.remove(scratch) }
            return
        }
        guard recv(holder, &done, 1, Int32(MSG_DONTWAIT)) != 1 else { return }
        // They cannot leave the group, and the number is not given to others while one of them is there.
        kill(-group, SIGKILL)
        LandlockScratch.remove(scratch)
    }

    private static func copyInput(to path: String) -> Bool {
        let copy = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o400)
        guard copy >= 0 else { return false }
        defer { close(copy) }
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        var position: Int64 = 0
        while true {
            // Not from where the descriptor stands: others use it, too. What cannot be read so is an empty input.
            let count = chunk.withUnsafeMutableBytes { SystemCall.fill($0, from: 0, at: position) }
            guard count > 0 else { return true }
            let isWritten = chunk.withUnsafeBytes {
                SystemCall.writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: copy, at: position)
            }
            guard isWritten else { return false }
            position += Int64(count)
        }
    }

    /// Paths that a converter reads beside its input.
    private static let readable = [
        "/usr", "/bin", "/lib", "/lib64", "/sbin", "/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives",
        "/etc/libreoffice", "/var/lib/libreoffice", "/var/spool/libreoffice", "/var/cache/fontconfig", "/dev/urandom",
        "/dev/zero",
    ]

    private static func start(_ words: [String], _ numbers: [UInt64], scratch: String) -> ChildHandle? {
        let usesSockets = numbers[6] != 0
        let variables = ConverterEnvironment.variables(home: scratch).map { "\($0.name)=\($0.value)" }
        return ConfinedProgram(
            words: words, variables: variables, readable: readable + (usesSockets ? ["/proc"] : []), scratch: scratch,
            socketFolder: usesSockets ? socketFolder : nil,
            limits: ConfinedProgram.Limits(
                memoryBytes: numbers[0], fileBytes: numbers[2], processorSeconds: numbers[1], processes: numbers[4],
                openFiles: numbers[5])
        ).start(announcingTo: holder)
    }

    /// How often the disk is looked at: a converter writes some 100 MB in this time.
    private static let checkMilliseconds: Int32 = 100

    private static func supervise(_ child: ChildHandle, scratch: String, scratchBytes: UInt64) -> Int32 {
        let ending = child.openForPolling()
        let freeBefore = freeBytes(scratch)
        var isFull = false
        while ending >= 0 {
            var polled = [
                pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
                pollfd(fd: holder, events: LocalSocket.hungUp, revents: 0),
            ]
            let count = poll(&polled, 2, checkMilliseconds)
            if count < 0, errno == EINTR { continue }
            if count != 0 { break }
            // Files in the folder; and, when the disk has become fuller, files without a name, too.
            var bytes = ScratchUsage.bytes(in: scratch)
            if freeBefore - freeBytes(scratch) > Int64(scratchBytes) {
                bytes += ScratchUsage.namelessBytes(of: child, in: scratch)
            }
            isFull = bytes > Int64(scratchBytes) || freeBytes(scratch) < freeBefore / 2
            if isFull { break }
        }
        child.killGroup()
        let exit = child.wait()
        // Processes that the program started; the signal to the group has killed all of them.
        var other: Int32 = 0
        while SystemCall.retrying({ Int(waitpid(-1, &other, 0)) }) > 0 {}
        return isFull ? noSpaceStatus : exit.shellStatus
    }

    private static func freeBytes(_ path: String) -> Int64 {
        var system = statvfs()
        return statvfs(path, &system) == 0 ? Int64(system.f_bavail) * Int64(system.f_frsize) : 0
    }

    /// soffice finds out by a socket here whether it runs already, whatever it is told, and must make it.
    private static let socketFolder = "/tmp"

    /// The sockets of soffice, which cannot remove them itself.
    private static func removeSockets() {
        guard let list = opendir(socketFolder) else { return }
        defer { closedir(list) }
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard name.hasPrefix("OSL_PIPE_"), fstatat(dirfd(list), name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid()
            else { continue }
            unlinkat(dirfd(list), name, 0)
        }
    }
}
