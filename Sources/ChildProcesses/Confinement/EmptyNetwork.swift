internal import CLinux
internal import FundCore
internal import Glibc

/// A network without any way out, in which a process and those that it starts reach nothing but each other
/// (network_namespaces(7)).
package enum EmptyNetwork {
    /// Moves this process, which has no other threads, into one, with a user namespace of its own in which it keeps its
    /// number.
    /// - Returns: a socket that listens there, at `port` of 127.0.0.1. Whatever process accepts from it serves those in
    ///   the empty network: a socket belongs to the network in which it was made.
    package static func enter(listeningAt port: UInt16) throws(ProcessError) -> Int32 {
        let (user, group) = (geteuid(), getegid())
        // One who was root owns nothing of its own in /proc without this, and could not say who it is.
        try check(fundmail_prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 ? 0 : errno, "prctl")
        try check(fundmail_leave_network(), "unshare")
        try check(fundmail_raise_loopback(), "lo")
        try write("deny", to: "setgroups")
        try write("\(user) \(user) 1", to: "uid_map")
        try write("\(group) \(group) 1", to: "gid_map")
        return try listen(port)
    }

    /// A socket of the network of this process, for a connection in it.
    package static func socket() throws(ProcessError) -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw ProcessError("socket", code: errno) }
        return socket
    }

    private static func listen(_ port: UInt16) throws(ProcessError) -> Int32 {
        let listening = try socket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, Glibc.listen(listening, 64) == 0 else {
            let error = ProcessError("bind", code: errno)
            close(listening)
            throw error
        }
        return listening
    }

    private static func write(_ text: String, to name: String) throws(ProcessError) {
        let file = open("/proc/self/\(name)", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw ProcessError(name, code: errno) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        try check(Glibc.write(file, bytes, bytes.count) == bytes.count ? 0 : errno, name)
    }

    private static func check(_ code: Int32, _ operation: String) throws(ProcessError) {
        if code != 0 { throw ProcessError(operation, code: code) }
    }
}
