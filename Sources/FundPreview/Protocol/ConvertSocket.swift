import CLinux
internal import Glibc
import FundCore

/// A connection to a converter process: a socket of messages (SOCK_SEQPACKET of unix(7)).
enum ConvertSocket {
    /// A pair of connected sockets.
    static func pair() throws(SandboxError) -> (Int32, Int32) {
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, type, 0, &sockets) == 0 else { throw SandboxError("socketpair", code: errno) }
        return (sockets[0], sockets[1])
    }

    /// A socket that is connected to the one at `path`.
    static func connect(to path: String) throws(SandboxError) -> Int32 {
        do throws(LocalSocketError) { return try LocalSocket.connect(to: path, type: SOCK_SEQPACKET) } catch {
            throw SandboxError("connect to \(path)", code: error.code)
        }
    }

    private static let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)

    /// Sends a message. False when the other end is gone, and errno(3) says why.
    static func send(_ bytes: [UInt8], _ descriptors: [Int32] = [], to socket: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            SystemCall.retrying {
                fundmail_send_descriptors(socket, bytes.baseAddress, bytes.count, descriptors, Int32(descriptors.count))
            }
        } == bytes.count
    }

    /// The next message with its descriptors, which the caller closes; nil when the other end is closed.
    static func receive(from socket: Int32) -> (bytes: [UInt8], descriptors: [Int32])? {
        var descriptors = [Int32](repeating: -1, count: Int(fundmail_max_descriptors))
        let room = Int32(descriptors.count)
        var bytes = [UInt8](repeating: 0, count: ConvertFrame.maxBytes)
        let count = bytes.withUnsafeMutableBytes { bytes in
            SystemCall.retrying {
                fundmail_receive_descriptors(socket, bytes.baseAddress, bytes.count, &descriptors, room)
            }
        }
        let came = descriptors.filter { $0 >= 0 }
        guard count > 0 else {
            came.forEach { close($0) }
            return nil
        }
        return (Array(bytes[..<count]), came)
    }
}
