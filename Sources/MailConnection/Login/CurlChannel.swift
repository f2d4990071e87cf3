internal import CCurl
internal import CLinux
package import FundCore
internal import Glibc

/// A connection that libcurl made, encrypted and logged in. Sessions of a protocol speak on it.
///
/// libcurl only logs in: its own IMAP and POP3 lose messages silently (a dropped RETR is CURLE_OK). For one thread.
package final class CurlChannel: ByteChannel {
    package var ignoresCancellation = false
    package let announced: Set<String>

    private let handle: CurlHandle
    private let socket: Int32
    private let cancellation: Cancellation
    /// The error after bytes that came before it; thrown by the next `receive`.
    private var ended: ConnectionError?

    init(
        handle: consuming CurlHandle, socket: Int32, cancellation: Cancellation, announced: Set<String>
    ) {
        self.announced = announced
        self.handle = handle
        self.socket = socket
        self.cancellation = cancellation
    }

    /// Lets OpenSSL read as much as has come, instead of head and rest of each record: Dovecot's hold 4 KB, which makes
    /// 40,000 calls for 77 MB. Not during the login: libcurl waits for the socket while OpenSSL holds bytes.
    func readAhead() {
        guard let sslControl = Self.sslControl else { return }
        let setReadAhead: Int32 = 41  // SSL_CTRL_SET_READ_AHEAD, which SSL_set_read_ahead(3) is a macro for
        fundmail_curl_control_tls(handle.easy, sslControl, setReadAhead, 1)
    }

    /// libcurl loads OpenSSL. Found by name, so that OpenSSL's headers are not needed to build.
    private static let sslControl = dlsym(nil, "SSL_ctrl").map { unsafeBitCast($0, to: SSLControl.self) }
    private typealias SSLControl =
        @convention(c) (UnsafeMutableRawPointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int

    /// libcurl knows its connection only after a first call, so an empty send comes before the question.
    var isEncrypted: Bool {
        var count = 0
        _ = fundmail_curl_easy_send(handle.easy, "", 0, &count)
        return fundmail_curl_has_tls(handle.easy) != 0
    }

    /// See `CertificateExpiry`.
    package var certificateExpiry: Timestamp? { CertificateExpiry.ofServer(handle.easy) }

    package func receive(into buffer: UnsafeMutableRawBufferPointer, until deadline: Instant) throws(ConnectionError)
        -> Int
    {
        if let ended { throw ended }
        var filled = 0
        // Until CURLE_AGAIN, since TLS may hold bytes that poll(2) does not see.
        while filled < buffer.count {
            var count = 0
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let code = fundmail_curl_easy_recv(handle.easy, rest.baseAddress, rest.count, &count)
            switch code {
            case CURLE_OK where count > 0: filled += count
            case CURLE_AGAIN:
                if filled > 0 { return filled }
                try wait(for: POLLIN, until: deadline)
            default:
                let error = ConnectionError(.connectionLost, during: "reading", Self.text(code, count))
                ended = error
                if filled > 0 { return filled }
                throw error
            }
        }
        return filled
    }

    package func send(_ bytes: [UInt8], until deadline: Instant) throws(ConnectionError) {
        var sent = 0
        while sent < bytes.count {
            var count = 0
            let code = bytes[sent...].withUnsafeBytes {
                fundmail_curl_easy_send(handle.easy, $0.baseAddress, $0.count, &count)
            }
            switch code {
            case CURLE_OK: sent += count
            case CURLE_AGAIN: try wait(for: POLLOUT, until: deadline)
            default: throw ConnectionError(.connectionLost, during: "writing", Self.text(code, 1))
            }
        }
    }

    private func wait(for events: Int32, until deadline: Instant) throws(ConnectionError) {
        while true {
            let isCancellable = !ignoresCancellation
            if isCancellable, cancellation.isCancelled {
                throw ConnectionError(.cancelled, during: "waiting for the server")
            }
            let left = deadline - .now
            if left <= .zero { throw ConnectionError(.timedOut, during: "waiting for the server") }
            var entries = [
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: isCancellable ? cancellation.descriptor : -1, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&entries, 2, left.pollMilliseconds)
            if ready > 0, entries[0].revents != 0 { return }
            if ready < 0, errno != EINTR { throw ConnectionError(.connectionLost, during: "waiting for the server") }
        }
    }

    private static func text(_ code: CURLcode, _ count: Int) -> String {
        code == CURLE_OK && count == 0 ? "the server hung up" : String(cString: fundmail_curl_easy_strerror(code))
    }
}
