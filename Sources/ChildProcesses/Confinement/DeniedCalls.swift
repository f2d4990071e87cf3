internal import CLinux

/// System calls that a program of others may not make, as a program of seccomp(2) for bwrap(1).
package enum DeniedCalls {
    /// The program's bytes; nil on a machine for which there is no list.
    ///
    /// - Parameter allowsLocalSockets: the program talks to itself over sockets of unix(7).
    package static func program(allowsLocalSockets: Bool) -> [UInt8]? {
        var program = [sock_filter](repeating: sock_filter(), count: Int(fundmail_max_calls))
        let count = fundmail_denied_calls(&program, allowsLocalSockets ? Int32(fundmail_local_sockets) : 0)
        return count > 0 ? program[..<Int(count)].withUnsafeBytes { Array($0) } : nil
    }
}
