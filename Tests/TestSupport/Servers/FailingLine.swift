internal import Foundation
internal import Glibc
import Synchronization

/// A proxy between a client and a real server whose line fails at a moment that the test chooses.
package final class FailingLine: Sendable {
    /// Where the line ends once the client has sent certain bytes.
    package enum Moment: Sendable {
        /// The server does not get them.
        case beforeServer
        /// The server gets them, and the client gets no answer.
        case beforeAnswer
    }

    private struct State {
        var words: [UInt8] = []
        var moment = Moment.beforeServer
        var isSilent = false
        var cutCount = 0
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let shared = Shared()
    private let server: LoopbackServer
    package var port: Int { server.port }

    package init(to target: Int) throws {
        let shared = shared
        server = try LoopbackServer { _, client in
            guard let upstream = LoopbackSocket.connect(port: target) else { return }
            Self.serve(client, upstream, shared)
            close(upstream)
        }
    }

    deinit { server.stop() }

    /// Cuts the line, with RST, when a client sends these bytes; once.
    package func cut(_ moment: Moment, _ words: String) {
        shared.state.withLock { ($0.moment, $0.words) = (moment, Array(words.utf8)) }
    }

    /// Lines that were cut.
    package var cutCount: Int { shared.state.withLock { $0.cutCount } }

    /// From now on nothing arrives anywhere, and no side is told; false lets new bytes through again.
    package func beSilent(_ isSilent: Bool) { shared.state.withLock { $0.isSilent = isSilent } }

    package func stop() { server.stop() }

    private static func serve(_ client: Int32, _ upstream: Int32, _ shared: Shared) {
        let (upward, isCut) = (Gate(), Flag())
        let end = { @Sendable in
            if isCut.isRaised { LoopbackSocket.resetWhenClosed(client) }
            shutdown(client, isCut.isRaised ? Int32(SHUT_RD) : Int32(SHUT_RDWR))
            LoopbackSocket.shutDown(upstream)
        }
        Thread.detachNewThread {
            pump(client, upstream, shared) { bytes in
                let moment: Moment? = shared.state.withLock { state in
                    guard !state.words.isEmpty, bytes.contains(state.words) else { return nil }
                    state.words = []
                    state.cutCount += 1
                    return state.moment
                }
                if moment != nil { isCut.raise() }
                return moment != .beforeServer
            }
            end()
            upward.open()
        }
        pump(upstream, client, shared) { _ in !isCut.isRaised }
        end()
        upward.wait()
    }

    /// Passes bytes on until one side ends, or `mayPass` says no.
    private static func pump(_ source: Int32, _ sink: Int32, _ shared: Shared, mayPass: ([UInt8]) -> Bool) {
        while true {
            let bytes = LoopbackSocket.receive(source)
            guard !bytes.isEmpty else { return }
            if shared.state.withLock(\.isSilent) { continue }
            guard mayPass(bytes), LoopbackSocket.send(bytes, to: sink) else { return }
        }
    }
}
