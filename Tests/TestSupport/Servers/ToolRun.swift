import CLinux
internal import Glibc

/// Runs a tool to its end.
package enum ToolRun {
    /// Its standard output; throws, with everything it said, when it fails.
    @discardableResult
    package static func output(_ arguments: [String]) throws -> String {
        guard let program = arguments.first, let path = ServerProcess.find(program) else {
            throw ServerFailure("\(arguments.first ?? "") is not installed")
        }
        var pipe: [Int32] = [0, 0]
        guard pipe2(&pipe, O_CLOEXEC) == 0 else { throw ServerFailure("pipe2: \(errno)") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 2)
        // Sockets of tests that run beside this one: their end would not be seen while a child holds them.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = SpawnAttributes.make(ownSession: false)
        var words = arguments.map { strdup($0) }
        words.append(nil)
        defer {
            words.forEach { free($0) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(pipe[0])
        }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, &attributes, words, environ)
        close(pipe[1])
        guard code == 0 else { throw ServerFailure("cannot start \(path): \(String(cString: strerror(code)))") }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(pipe[0], &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            output.append(contentsOf: buffer[..<count])
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let text = String(decoding: output, as: UTF8.self)
        guard status == 0 else {
            throw ServerFailure("\(arguments.joined(separator: " ")): status \(status)\n\(text)")
        }
        return text
    }
}

enum SpawnAttributes {
    /// The child hears every signal: test runners block some of them, and a shell that never hears of a child's end waits forever.
    /// In a session of its own, what a terminal sends to the tests does not reach it before its work is done.
    static func make(ownSession: Bool) -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let setSession: Int16 = 0x80  // POSIX_SPAWN_SETSID, which glibc hides
        let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | (ownSession ? setSession : 0)
        posix_spawnattr_setflags(&attributes, flags)
        return attributes
    }
}
