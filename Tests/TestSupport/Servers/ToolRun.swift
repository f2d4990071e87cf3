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
        defer { close(pipe[0]) }
        let process: pid_t
        do {
            defer { close(pipe[1]) }
            process = try Spawning.spawn(path, arguments, isOwnSession: false) { actions in
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
                posix_spawn_file_actions_adddup2(&actions, pipe[1], 2)
            }
        }
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
