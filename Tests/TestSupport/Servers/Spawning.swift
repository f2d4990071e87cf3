import CLinux
internal import Glibc

/// Starts children of the tests.
enum Spawning {
    /// Starts the program at `path` with the channels that `open` sets up and no other.
    ///
    /// The child hears every signal: test runners block some of them, and a shell that never hears of a child's end
    /// waits forever. In a session of its own, what a terminal sends to the tests does not reach it before its work is
    /// done.
    ///
    /// - Parameter words: its name and arguments. Throws `ServerFailure`.
    static func spawn(
        _ path: String, _ words: [String], isOwnSession: Bool, _ open: (inout posix_spawn_file_actions_t) -> Void
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        open(&actions)
        // Sockets of tests that run beside this one: their end would not be seen while a child holds them.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let setSession: Int16 = 0x80  // POSIX_SPAWN_SETSID, which glibc hides
        let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | (isOwnSession ? setSession : 0)
        posix_spawnattr_setflags(&attributes, flags)

        var arguments = words.map { strdup($0) }
        arguments.append(nil)
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, &attributes, arguments, environ)
        guard code == 0 else { throw ServerFailure("cannot start \(path): \(String(cString: strerror(code)))") }
        return process
    }
}
