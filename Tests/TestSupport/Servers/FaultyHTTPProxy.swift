internal import Foundation
internal import FundCore
internal import Glibc
import Synchronization

/// A proxy between an HTTP/1.1 client and a real server that answers some requests itself, or changes or cuts the
/// server's answers. Each connection serves one request.
package final class FaultyHTTPProxy: Sendable {
    package enum Fault: Sendable {
        /// The server does not get the request, and this answer comes: a status, lines of the head, and a body.
        case answer(Int, fields: String = "", body: String = "")
        /// The server does what is asked, and this answer comes.
        case answerAfterwards(Int, fields: String = "", body: String = "")
        /// The server does what is asked, and its answer ends after so many bytes.
        case cut(Int)
        /// The server does what is asked, and this makes another head of its answer.
        case head(@Sendable (String) -> String)
        /// The server does not get the request, and nothing comes until the client gives up.
        case silence
    }

    private struct State {
        /// Words in the first line of a request, how often still, and what happens.
        var faults: [(word: String, count: Int, fault: Fault)] = []
        var requests: [String] = []
    }

    private final class Shared: Sendable { let state = Mutex(State()) }

    private let shared = Shared()
    private let server: LoopbackServer
    package var port: Int { server.port }

    package init(to target: Int) throws {
        let shared = shared
        server = try LoopbackServer { _, client in Self.serve(client, target, shared) }
    }

    deinit { server.stop() }

    package func stop() { server.stop() }

    /// Arranges a fault for the next requests in whose first line a word stands.
    package func arrange(_ fault: Fault, for word: String, times count: Int = 1) {
        shared.state.withLock { $0.faults.append((word, count, fault)) }
    }

    /// The first lines of all requests so far.
    package var requests: [String] { shared.state.withLock { $0.requests } }

    private static func serve(_ client: Int32, _ target: Int, _ shared: Shared) {
        guard let (head, body) = message(from: client) else { return }
        let line = String(head.prefix { $0 != "\r" && $0 != "\r\n" })
        let fault = shared.state.withLock { state -> Fault? in
            state.requests.append(line)
            guard let index = state.faults.firstIndex(where: { line.contains($0.word) }) else { return nil }
            state.faults[index].count -= 1
            return state.faults[index].count == 0 ? state.faults.remove(at: index).fault : state.faults[index].fault
        }
        switch fault {
        case .answer(let status, let fields, let text): send(status, fields, text, to: client)
        case .silence: while !LoopbackSocket.receive(client).isEmpty {}
        case .answerAfterwards(let status, let fields, let text):
            _ = answer(to: head, body, target)
            send(status, fields, text, to: client)
        case .cut(let count): _ = LoopbackSocket.send(answer(to: head, body, target).prefix(count), to: client)
        case .head(let change):
            let whole = answer(to: head, body, target)
            let end = headEnd(whole) ?? whole.count
            let changed = change(String(decoding: whole[..<end], as: UTF8.self))
            _ = LoopbackSocket.send(Array(changed.utf8) + whole[end...], to: client)
        case nil: _ = LoopbackSocket.send(answer(to: head, body, target), to: client)
        }
        LoopbackSocket.shutDown(client)
    }

    private static func send(_ status: Int, _ fields: String, _ text: String, to client: Int32) {
        let head = "HTTP/1.1 \(status) x\r\n\(fields)Connection: close\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
        _ = LoopbackSocket.send((head + text).utf8, to: client)
    }

    /// The server's whole answer; empty where it gives none.
    private static func answer(to head: String, _ body: [UInt8], _ target: Int) -> [UInt8] {
        guard let upstream = LoopbackSocket.connect(port: target) else { return [] }
        defer { close(upstream) }
        let lines = head.components(separatedBy: "\r\n").filter { !$0.lowercased().hasPrefix("expect:") }
        let sent = lines.dropLast(2).joined(separator: "\r\n") + "\r\nConnection: close\r\n\r\n"
        guard LoopbackSocket.send(Array(sent.utf8) + body, to: upstream) else { return [] }
        var all: [UInt8] = []
        while case let bytes = LoopbackSocket.receive(upstream), !bytes.isEmpty { all += bytes }
        return all
    }

    private static let blank = Array("\r\n\r\n".utf8)

    /// The place behind the empty line.
    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        ASCII.firstIndex(of: blank, in: bytes).map { $0 + blank.count }
    }

    private static func message(from client: Int32) -> (head: String, body: [UInt8])? {
        var bytes: [UInt8] = []
        var end: Int?
        while end == nil {
            let more = LoopbackSocket.receive(client)
            guard !more.isEmpty else { return nil }
            bytes += more
            end = headEnd(bytes)
        }
        guard let end else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        let fields = head.lowercased().components(separatedBy: "\r\n")
        if fields.contains("expect: 100-continue") {
            guard LoopbackSocket.send("HTTP/1.1 100 Continue\r\n\r\n".utf8, to: client) else { return nil }
        }
        let length = fields.first { $0.hasPrefix("content-length:") }?.dropFirst("content-length:".count)
        let count = length.flatMap { Int($0.trimmed) } ?? 0
        var body = Array(bytes[end...])
        while body.count < count {
            let more = LoopbackSocket.receive(client)
            guard !more.isEmpty else { return nil }
            body += more
        }
        return (head, body)
    }
}
