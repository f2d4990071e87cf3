import FundCore
import Glibc
import MailConnection
import Synchronization
import TestSupport

@testable import NewsFetch

/// All of the web on a port of this machine: whatever host is asked for, `answer` answers.
final class FakeWeb: Sendable {
    struct Request: Sendable, Equatable {
        /// `http://host/path`
        var address: String
        /// Names in lower case.
        var fields: [String: String]
    }

    struct Answer: Sendable {
        var status = 200
        var fields: [(String, String)] = []
        var body: [UInt8] = []
        /// Without `Content-Length`, in chunks.
        var isChunked = false
        /// Never answers.
        var hangs = false

        static func text(_ text: String, _ fields: (String, String)...) -> Answer {
            Answer(fields: fields, body: Array(text.utf8))
        }

        static func redirect(_ status: Int, _ location: String) -> Answer {
            Answer(status: status, fields: [("Location", location), ("Set-Cookie", "a=b")])
        }
    }

    private let server: LoopbackServer
    private let taken: TakenRequests

    /// Requests that came so far.
    var requests: [Request] { taken.list.withLock { $0 } }

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        let taken = TakenRequests()
        self.taken = taken
        server = try LoopbackServer { _, socket in
            while let request = Self.request(from: socket) {
                taken.list.withLock { $0.append(request) }
                let answer = answer(request)
                if answer.hangs {
                    var byte: UInt8 = 0
                    while recv(socket, &byte, 1, 0) > 0 {}
                    return
                }
                guard Self.send(answer, to: socket) else { return }
            }
        }
    }

    deinit { server.stop() }

    /// The whole web at this server, over addresses that `isAllowed` lets through. The limit is for tests that wait for
    /// it: beside all other tests an answer may take a minute.
    func reach(
        limit: Duration = .seconds(600),
        isAllowed: @escaping @Sendable (DialledAddress) -> Bool = { $0.bytes == [127, 0, 0, 1] }
    ) -> FetchReach {
        var reach = FetchReach.publicInternet
        reach.substitutes = ["::127.0.0.1:\(server.port)"]
        reach.limit = limit
        reach.isAllowed = isAllowed
        return reach
    }

    private static func request(from socket: Int32) -> Request? {
        var (bytes, byte): ([UInt8], UInt8) = ([], 0)
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(socket, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmed : ""
        }
        let path = lines.first?.split(separator: " ").dropFirst().first ?? "/"
        return Request(address: "http://\(fields["host"] ?? "")\(path)", fields: fields)
    }

    private static func send(_ answer: Answer, to socket: Int32) -> Bool {
        var head = "HTTP/1.1 \(answer.status) x\r\n"
        for (name, value) in answer.fields { head += "\(name): \(value)\r\n" }
        var bytes: [UInt8]
        if answer.isChunked {
            bytes = Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
            for start in stride(from: 0, to: answer.body.count, by: 65_536) {
                let piece = answer.body[start...].prefix(65_536)
                bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
            }
            bytes += Array("0\r\n\r\n".utf8)
        } else {
            let length = answer.status == 304 ? "" : "Content-Length: \(answer.body.count)\r\n"
            bytes = Array((head + length + "\r\n").utf8) + answer.body
        }
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

/// Shared by the server and its threads.
private final class TakenRequests: Sendable {
    let list = Mutex<[FakeWeb.Request]>([])
}
