import CLinux
internal import Glibc

/// How a child is started.
struct ChildRecipe: Sendable {
    var executable: String
    var arguments: [String] = [ParseWorkerMain.command]
    var stagingDirectory: String
    /// Sent with every request; obeyed by debug builds only.
    var debug: UInt8 = 0
    /// Longest time from start to `ready`. A fundmail binary takes some 20 ms; a loaded machine much more.
    var startSeconds: Double = 30
    /// For tests that cannot wait: instead of `ParseLimits.maxSeconds`.
    var maxSeconds: Double?
}

/// Starts a child that inherits three descriptors and nothing else.
enum ChildSpawn {
    struct Started {
        var pid: pid_t
        /// The parent's end of the socket.
        var socket: Int32
        /// The parent's end of its standard error, non-blocking.
        var errors: Int32
    }

    /// The whole environment of a child. One malloc arena, so that its memory can be measured; no backtrace, so that a
    /// crash is quick.
    private static let environment = [
        "LANG=C.UTF-8", "PATH=/usr/bin:/bin", "MALLOC_ARENA_MAX=1", "SWIFT_BACKTRACE=enable=no",
    ]

    static func start(_ recipe: ChildRecipe, pack: Int32) throws(ChildError) -> Started {
        var sockets: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try check(socketpair(AF_UNIX, type, 0, &sockets), "socketpair")
        var errors: [Int32] = [-1, -1]
        guard pipe2(&errors, O_CLOEXEC | O_NONBLOCK) == 0 else {
            sockets.forEach { close($0) }
            throw .own(ParserError(.cannotStart, "pipe: \(String(cString: strerror(errno)))"))
        }
        defer {
            close(sockets[1])
            close(errors[1])
        }
        do throws(ChildError) {
            let pid = try spawn(recipe, socket: sockets[1], errors: errors[1], pack: pack)
            return Started(pid: pid, socket: sockets[0], errors: errors[0])
        } catch {
            close(sockets[0])
            close(errors[0])
            throw error
        }
    }

    private static func spawn(
        _ recipe: ChildRecipe, socket: Int32, errors: Int32, pack: Int32
    ) throws(ChildError) -> pid_t {
        // Duplicated above the numbers that they get, so that none overwrites another.
        let lifted = [socket, errors, pack].map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        defer { lifted.forEach { close($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, lifted[0], 0)
        posix_spawn_file_actions_adddup2(&actions, lifted[0], 1)
        posix_spawn_file_actions_adddup2(&actions, lifted[1], 2)
        posix_spawn_file_actions_adddup2(&actions, lifted[2], Wire.packDescriptor)
        posix_spawn_file_actions_addclosefrom_np(&actions, Wire.packDescriptor + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Own process group: a Ctrl-C on the terminal is for the parent, which ends its children in order. Signals as a
        // new program expects them: blocked ones and ignored ones would be inherited.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var pipe = none
        sigaddset(&pipe, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &pipe)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let arguments = cStrings(["fundmail"] + recipe.arguments)
        let environment = cStrings(environment)
        defer { (arguments + environment).forEach { free($0) } }
        let code = posix_spawn(&pid, recipe.executable, &actions, &attributes, arguments, environment)
        guard code == 0 else {
            throw .own(ParserError(.cannotStart, "\(recipe.executable): \(String(cString: strerror(code)))"))
        }
        return pid
    }

    private static func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        strings.map { strdup($0) } + [nil]
    }

    private static func check(_ result: Int32, _ operation: String) throws(ChildError) {
        guard result == 0 else {
            throw .own(ParserError(.cannotStart, "\(operation): \(String(cString: strerror(errno)))"))
        }
    }
}
