internal import CLinux
internal import Glibc
internal import FundCore

/// One question to a scanner over a local socket. Every step has a deadline: a scanner that hangs accepts and never
/// answers. For one thread.
struct ScannerConnection: ~Copyable {
    private let descriptor: Int32

    init(_ path: String, timeout: Duration) throws(ScannerError) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ScannerError("no socket: \(Self.error)") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            close(descriptor)
            throw ScannerError("\(path) is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        Self.setTimeout(timeout, of: descriptor)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                SystemCall.retrying { Int(connect(descriptor, address, length)) } == 0
            }
        }
        guard isConnected else {
            let problem = Self.error
            close(descriptor)
            throw ScannerError("clamd cannot be reached at \(path): \(problem)")
        }
    }

    deinit { close(descriptor) }

    private static func setTimeout(_ timeout: Duration, of descriptor: Int32) {
        var time = timeval(tv_sec: Int(timeout.components.seconds), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static var error: String { String(cString: strerror(errno)) }

    /// - Parameter descriptor: of a file that goes with it, beside the last byte.
    func send(_ bytes: [UInt8], descriptor file: Int32?) throws(ScannerError) {
        let isSent = bytes.withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { sendQuietly(descriptor, $0) }
        }
        guard isSent else { throw ScannerError("clamd does not take more: \(Self.error)") }
        guard let file else { return }
        var byte: UInt8 = 0
        guard fundmail_send_descriptor(descriptor, &byte, 1, file) == 1 else {
            throw ScannerError("clamd does not take a file: \(Self.error)")
        }
    }

    /// Up to the NUL that ends it.
    func answer(within timeout: Duration, atMost limit: Int) throws(ScannerError) -> String {
        Self.setTimeout(timeout, of: descriptor)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: limit)
        while bytes.last != 0, bytes.count < limit {
            let count = SystemCall.retrying { recv(descriptor, &chunk, chunk.count, 0) }
            guard count >= 0 else { throw ScannerError("clamd does not answer: \(Self.error)") }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        guard !bytes.isEmpty else { throw ScannerError("clamd hung up without an answer") }
        return String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// send(2) without SIGPIPE.
private func sendQuietly(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
}
