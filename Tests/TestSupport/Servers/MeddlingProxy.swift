internal import Foundation
internal import Glibc
import Synchronization

/// A proxy between a client and a real server that acts like a bad network: cuts, slows, stalls, splits, repeats.
package final class MeddlingProxy: Sendable {
    /// The treatment of each new connection. Counts are bytes of this connection, as they are on the wire (TLS
    /// included).
    package struct Rules: Sendable {
        /// The connection ends when the client has got this many bytes.
        package var cutAfterServerBytes: Int?
        /// The connection ends when the server has got this many bytes.
        package var cutAfterClientBytes: Int?
        /// Ends with RST, not FIN.
        package var resets = false
        /// From here on the client gets one byte each `slowInterval`.
        package var slowAfterServerBytes: Int?
        package var slowInterval = Duration.seconds(1)
        /// From here on the client gets nothing, and the connection stays open.
        package var stallAfterServerBytes: Int?
        /// From here on the server gets nothing, and the connection stays open.
        package var stallAfterClientBytes: Int?
        /// This byte of what the client gets, counted from 0, is another one.
        package var changeServerByte: Int?
        /// The client gets pieces of at most this many bytes.
        package var pieceBytes: Int?
        /// Number of the HTTP/1.1 answer, among those that the server sent in one go, that comes twice each time.
        package var repeatsAnswer: Int?

        package init() {}
    }

    package struct Traffic: Sendable {
        package var serverBytes = 0
        package var clientBytes = 0
        /// A rule ended it.
        package var isCut = false
    }

    private struct State {
        var rules = Rules()
        var traffic: [Traffic] = []
    }

    /// The state that the pumps and the server share.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let shared = Shared()
    private let server: LoopbackServer
    package var port: Int { server.port }

    package init(to target: Int, rules: Rules = Rules()) throws {
        let shared = shared
        shared.state.withLock { $0.rules = rules }
        server = try LoopbackServer { number, client in
            let rules = shared.state.withLock { state in
                while state.traffic.count <= number { state.traffic.append(Traffic()) }
                return state.rules
            }
            guard let upstream = LoopbackSocket.connect(port: target) else { return }
            Self.serve(client, upstream, rules) { change in
                shared.state.withLock { change(&$0.traffic[number]) }
            }
            close(upstream)
        }
    }

    deinit { server.stop() }

    /// Rules for connections that come from now on.
    package func setRules(_ rules: Rules) { shared.state.withLock { $0.rules = rules } }

    /// Traffic of every connection so far, the latest last.
    package var traffic: [Traffic] { shared.state.withLock { $0.traffic } }
    package var openCount: Int { server.openCount }

    package func stop() { server.stop() }

    private typealias Recorder = @Sendable ((inout Traffic) -> Void) -> Void

    private static func serve(_ client: Int32, _ upstream: Int32, _ rules: Rules, record: @escaping Recorder) {
        let upward = Gate()
        Thread.detachNewThread {
            pump(
                from: client, to: upstream, cutAfter: rules.cutAfterClientBytes, stallAfter: rules.stallAfterClientBytes
            ) { count, isCut in
                record {
                    $0.clientBytes += count
                    $0.isCut = $0.isCut || isCut
                }
            }
            end(client, upstream, rules)
            upward.open()
        }
        pumpToClient(client, upstream, rules, record: record)
        end(client, upstream, rules)
        // Both pumps must be done before the descriptors may be closed and used again.
        upward.wait()
    }

    private static func end(_ client: Int32, _ upstream: Int32, _ rules: Rules) {
        if rules.resets { LoopbackSocket.resetWhenClosed(client) }
        // With RST the close must come first; a shutdown would send FIN.
        if rules.resets { shutdown(client, Int32(SHUT_RD)) } else { LoopbackSocket.shutDown(client) }
        LoopbackSocket.shutDown(upstream)
    }

    private static func pump(
        from source: Int32, to sink: Int32, cutAfter cut: Int?, stallAfter stall: Int?,
        record: (_ count: Int, _ isCut: Bool) -> Void
    ) {
        var total = 0
        let limit = cut ?? stall
        while limit.map({ total < $0 }) ?? true {
            let bytes = LoopbackSocket.receive(source).prefix(limit.map { $0 - total } ?? Int.max)
            guard !bytes.isEmpty, LoopbackSocket.send(bytes, to: sink) else { return }
            total += bytes.count
            record(bytes.count, false)
        }
        record(0, true)
        // Until one side gives up.
        if cut == nil { while !LoopbackSocket.receive(source).isEmpty {} }
    }

    private static func pumpToClient(_ client: Int32, _ upstream: Int32, _ rules: Rules, record: Recorder) {
        var (total, answerCount) = (0, 0)
        while true {
            if let cut = rules.cutAfterServerBytes, total >= cut {
                record { $0.isCut = true }
                return
            }
            if let stall = rules.stallAfterServerBytes, total >= stall {
                record { $0.isCut = true }
                // Until one side gives up.
                while !LoopbackSocket.receive(upstream).isEmpty {}
                return
            }
            var bytes = LoopbackSocket.receive(upstream)[...]
            guard !bytes.isEmpty else { return }
            if let number = rules.repeatsAnswer, bytes.starts(with: Array("HTTP/1.1 ".utf8)) {
                answerCount += 1
                if answerCount % number == 0 { bytes += bytes }
            }
            while !bytes.isEmpty {
                let isSlow = rules.slowAfterServerBytes.map { total >= $0 } ?? false
                let bounds = [
                    rules.cutAfterServerBytes.map { $0 - total }, rules.stallAfterServerBytes.map { $0 - total },
                    isSlow ? 1 : rules.slowAfterServerBytes.map { $0 - total }, rules.pieceBytes,
                ]
                let count = bounds.compactMap(\.self).min() ?? bytes.count
                guard count > 0 else { break }
                // The pace of a slow line is what both sides are to bear.
                if isSlow { usleep(UInt32(rules.slowInterval / .microseconds(1))) }
                var piece = bytes.prefix(count)
                if let place = rules.changeServerByte, (total..<total + piece.count).contains(place) {
                    piece[piece.startIndex + place - total] ^= 1
                }
                guard LoopbackSocket.send(piece, to: client) else { return }
                total += piece.count
                record { $0.serverBytes += piece.count }
                bytes = bytes.dropFirst(count)
            }
        }
    }
}
