internal import CLinux
internal import Glibc

/// System calls that a program of others may not make, as a program of seccomp(2) for bwrap(1).
package enum DeniedCalls {
    /// Sockets that a program may make.
    package enum Sockets: Sendable {
        case none
        /// It talks to itself over sockets of unix(7).
        case local
        /// It talks over TCP, in a network of its own.
        case streams

        fileprivate var flags: Int32 {
            switch self {
            case .none: 0
            case .local: Int32(fundmail_local_sockets)
            case .streams: Int32(fundmail_internet_streams)
            }
        }
    }

    /// The program in a file of its own, which bwrap reads from where it stands to its end. Throws on a machine for
    /// which there is no list.
    /// - Parameter appendsOutput: whether the program has a file open for appending, which it cannot change elsewhere;
    ///   its sandbox has no /proc then, where it would open the file anew.
    package static func file(_ sockets: Sockets, appendsOutput: Bool = false) throws(ProcessError) -> MemoryFile {
        var program = [sock_filter](repeating: sock_filter(), count: Int(fundmail_max_calls))
        let output = appendsOutput ? Int32(fundmail_appended_output) : 0
        let count = fundmail_denied_calls(&program, sockets.flags | output)
        guard count > 0 else { throw ProcessError("system calls of this machine", code: ENOTSUP) }
        let file = try MemoryFile()
        try file.write(program[..<Int(count)].withUnsafeBytes { Array($0) })
        return file
    }
}
