internal import CLinux
internal import Glibc
internal import FundCore

/// One question to a scanner over a local socket. Every step has a time limit: a scanner that hangs accepts and never
/// answers. For one thread.
struct ScannerConnection: ~Copyable {
    private let descriptor: Int32

    init(_ path: String, timeout: Duration) throws(ScannerError) {
        do throws(LocalSocketError) {
            descriptor = try LocalSocket.connect(to: path, type: SOCK_STREAM, timeout: timeout)
        } catch {
            throw ScannerError("clamd cannot be reached at \(path): \(SystemText.of(error.code))")
        }
    }

    deinit { close(descriptor) }

    private static var error: String { SystemText.of(errno) }

    /// - Parameter descriptor: of a file that goes with it, beside the last byte.
    func send(_ bytes: [UInt8], descriptor file: Int32?) throws(ScannerError) {
        let isSent = bytes.withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { sendQuietly(descriptor, $0) }
        }
        guard isSent else { throw ScannerError("clamd does not take more: \(Self.error)") }
        guard let file else { return }
        var byte: UInt8 = 0
        guard fundmail_send_descriptors(descriptor, &byte, 1, [file], 1) == 1 else {
            throw ScannerError("clamd does not take a file: \(Self.error)")
        }
    }

    /// Up to the NUL that ends it.
    func answer(within timeout: Duration, atMost limit: Int) throws(ScannerError) -> String {
        LocalSocket.setTimeout(timeout, of: descriptor)
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
