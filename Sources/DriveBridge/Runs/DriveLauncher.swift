internal import ChildProcesses
internal import FundCore
internal import Glibc

/// The command `fundmail drive-launch`: moves itself into an empty network, hands the socket that listens there to the
/// process that started it, and becomes another program.
package enum DriveLauncher {
    package static let command = "drive-launch"

    /// The port of the proxy in the empty network.
    static let port: UInt16 = 3128
    /// The descriptor over which the socket goes.
    static let channel: Int32 = 3

    private static let systemFailureStatus: Int32 = 71  // EX_OSERR of sysexits.h

    /// Returns an exit status when it fails.
    /// - Parameter arguments: how many sockets it makes for connections in the network, the program and its arguments.
    package static func run(_ arguments: [String]) -> Int32 {
        let words = Array(arguments.dropFirst())
        do throws(ProcessError) {
            guard let count = arguments.first.flatMap({ Int($0) }), let program = words.first,
                ProcessSettings.lower(.coreSize, to: 0), UnprivilegedUser.become()
            else {
                throw ProcessError("a user without rights", code: errno)
            }
            let listening = try EmptyNetwork.enter(listeningAt: port)
            guard LocalSocket.send([1], [listening], to: channel) else { throw ProcessError("send", code: errno) }
            close(listening)
            for _ in 0..<count {
                let client = try EmptyNetwork.socket()
                guard LocalSocket.send([1], [client], to: channel) else { throw ProcessError("send", code: errno) }
                close(client)
            }
            close(channel)
            throw ProcessError(program, code: OtherProgram.become(words, variables: []))
        } catch {
            let text = Array("drive-launch: \(error)\n".utf8)
            _ = write(STDERR_FILENO, text, text.count)
            return systemFailureStatus
        }
    }
}
