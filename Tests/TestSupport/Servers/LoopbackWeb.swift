internal import FundCore
internal import Synchronization

/// A web server on a port of this machine, without TLS, whose answers a function gives: whatever host is asked for.
package final class LoopbackWeb: Sendable {
    /// A request as it came.
    package struct Request: Sendable, Equatable {
        package var method: String
        /// With the query.
        package var path: String
        /// Names in lower case.
        package var fields: [String: String]
        package var body: String

        /// `http://host/path`
        package var address: String { "http://\(fields["host"] ?? "")\(path)" }
    }

    package struct Answer: Sendable {
        /// The way in which the body comes, and its end.
        package enum Framing: Sendable {
            case length
            case chunked
            /// The body comes again and again for as long as it is taken.
            case endless
        }

        package var status: Int
        package var fields: [(String, String)]
        package var body: [UInt8]
        package var framing: Framing
        /// Whether no answer comes, not even a head.
        package var isHeldBack = false

        package init(
            status: Int = 200, fields: [(String, String)] = [], body: [UInt8] = [], framing: Framing = .length
        ) {
            (self.status, self.fields, self.body, self.framing) = (status, fields, body, framing)
        }

        /// Never answers.
        package static let hangs = {
            var answer = Answer()
            answer.isHeldBack = true
            return answer
        }()

        package static func status(_ status: Int, _ fields: (String, String)...) -> Answer {
            Answer(status: status, fields: fields)
        }

        package static func text(_ text: String, _ fields: (String, String)...) -> Answer {
            Answer(fields: fields, body: Array(text.utf8))
        }

        package static func redirect(_ status: Int, _ location: String) -> Answer {
            .status(status, ("Location", location), ("Set-Cookie", "a=b"))
        }
    }

    private let server: LoopbackServer
    private let taken: Taken

    /// Shared with the threads of the connections.
    private final class Taken: Sendable { let list = Mutex<[Request]>([]) }

    /// Requests that came so far.
    package var requests: [Request] { taken.list.withLock { $0 } }
    package var port: Int { server.port }

    /// - Parameter answer: is asked on the thread of the connection.
    package init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        let taken = Taken()
        self.taken = taken
        server = try LoopbackServer { _, socket in
            while let request = Self.request(from: socket) {
                taken.list.withLock { $0.append(request) }
                let answer = answer(request)
                guard !answer.isHeldBack else {
                    while !LoopbackSocket.receive(socket).isEmpty {}
                    return
                }
                guard Self.send(answer, to: socket) else { return }
            }
        }
    }

    deinit { server.stop() }

    private static func request(from socket: Int32) -> Request? {
        var head: [UInt8] = []
        // Byte by byte: what comes behind the head is another request.
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let byte = LoopbackSocket.receive(socket, atMost: 1)
            guard !byte.isEmpty else { return nil }
            head += byte
        }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let pairs = lines.dropFirst().map { line -> (String, String) in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts.count > 1 ? parts[1].trimmed : "")
        }
        let fields = Dictionary(pairs) { first, _ in first }
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        var body: [UInt8] = []
        while body.count < length {
            let bytes = LoopbackSocket.receive(socket, atMost: length - body.count)
            guard !bytes.isEmpty else { return nil }
            body += bytes
        }
        return Request(
            method: String(words[0]), path: String(words[1]), fields: fields,
            body: String(decoding: body, as: UTF8.self))
    }

    /// False when nothing more can be sent on the connection.
    private static func send(_ answer: Answer, to socket: Int32) -> Bool {
        var head = "HTTP/1.1 \(answer.status) x\r\n"
        for (name, value) in answer.fields { head += "\(name): \(value)\r\n" }
        switch answer.framing {
        case .length:
            if answer.status != 304 { head += "Content-Length: \(answer.body.count)\r\n" }
            return LoopbackSocket.send(Array((head + "\r\n").utf8) + answer.body, to: socket)
        case .chunked:
            var bytes = Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
            for start in stride(from: 0, to: answer.body.count, by: 65_536) {
                let piece = answer.body[start...].prefix(65_536)
                bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
            }
            return LoopbackSocket.send(bytes + Array("0\r\n\r\n".utf8), to: socket)
        case .endless:
            guard LoopbackSocket.send(Array((head + "\r\n").utf8), to: socket) else { return false }
            while LoopbackSocket.send(answer.body, to: socket) {}
            return false
        }
    }
}
