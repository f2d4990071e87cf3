internal import FundCore
internal import Glibc
internal import Synchronization

/// A receiver of webhooks on a port of this machine.
package final class WebhookReceiver: Sendable {
    /// A request as it came.
    package struct Request: Sendable, Equatable {
        package var path: String
        /// Names in lower case.
        package var fields: [String: String]
        package var body: String
    }

    /// The behaviour after a request.
    package enum Answer: Sendable {
        /// Answers with a status, and with further lines of the head.
        case status(Int, String = "")
        /// Sends a status, and bytes for as long as they are taken.
        case endless(Int)
        case hangs
    }

    private let server: LoopbackServer
    private let taken: Taken

    private final class Taken: Sendable { let list = Mutex<[Request]>([]) }

    /// Requests that came so far.
    package var requests: [Request] { taken.list.withLock { $0 } }
    package var port: Int { server.port }

    /// - Parameter answer: is asked on the thread of the connection.
    package init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        let taken = Taken()
        self.taken = taken
        server = try LoopbackServer { _, socket in
            guard let request = Self.request(from: socket) else { return }
            taken.list.withLock { $0.append(request) }
            switch answer(request) {
            case .status(let status, let fields):
                _ = Self.send("HTTP/1.1 \(status) x\r\n\(fields)Content-Length: 2\r\n\r\nok", to: socket)
            case .endless(let status):
                guard Self.send("HTTP/1.1 \(status) x\r\n\r\n", to: socket) else { return }
                while Self.send(String(repeating: "x", count: 10_000), to: socket) {}
            case .hangs:
                var byte: UInt8 = 0
                while recv(socket, &byte, 1, 0) > 0 {}
            }
        }
    }

    deinit { server.stop() }

    private static func request(from socket: Int32) -> Request? {
        var bytes: [UInt8] = []
        guard read(from: socket, into: &bytes, until: { $0.suffix(4).elementsEqual([13, 10, 13, 10]) }) else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        let pairs = lines.dropFirst().compactMap { line -> (String, String)? in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts.count == 2 ? (parts[0].lowercased(), parts[1].trimmed) : nil
        }
        let fields = Dictionary(pairs) { first, _ in first }
        guard let words = lines.first?.split(separator: " "), words.first == "POST",
            let length = fields["content-length"].flatMap({ Int($0) })
        else { return nil }
        var body: [UInt8] = []
        guard length == 0 || read(from: socket, into: &body, until: { $0.count == length }) else { return nil }
        return Request(path: String(words[1]), fields: fields, body: String(decoding: body, as: UTF8.self))
    }

    private static func read(from socket: Int32, into bytes: inout [UInt8], until isEnd: ([UInt8]) -> Bool) -> Bool {
        var byte: UInt8 = 0
        while recv(socket, &byte, 1, 0) == 1 {
            bytes.append(byte)
            if isEnd(bytes) { return true }
        }
        return false
    }

    private static func send(_ text: String, to socket: Int32) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
