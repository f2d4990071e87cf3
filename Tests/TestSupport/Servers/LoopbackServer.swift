internal import Foundation
internal import Glibc
import Synchronization

/// A listening socket whose connections are served by a thread each, until `stop`, which also breaks the connections.
package final class LoopbackServer: Sendable {
    package let port: Int
    private let listener: Int32
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var isListenerClosed = false
        var open: Set<Int32> = []
        var accepted = 0
    }

    /// - Parameter serve: gets the number of the connection, from 0, and its socket, which is closed when it returns:
    ///   without FIN before, so that it can end with RST.
    package init(serve: @escaping @Sendable (_ number: Int, _ socket: Int32) -> Void) throws {
        (listener, port) = try LoopbackSocket.listen()
        Thread.detachNewThread { [self] in
            while let socket = LoopbackSocket.accept(listener) {
                let number = state.withLock { state -> Int? in
                    guard !state.isStopped else { return nil }
                    state.open.insert(socket)
                    state.accepted += 1
                    return state.accepted - 1
                }
                guard let number else {
                    close(socket)
                    break
                }
                Thread.detachNewThread { [self] in
                    serve(number, socket)
                    state.withLock { _ = $0.open.remove(socket) }
                    close(socket)
                }
            }
            close(listener)
            state.withLock { $0.isListenerClosed = true }
        }
    }

    /// Connections that came so far.
    package var accepted: Int { state.withLock { $0.accepted } }

    /// Connections that are still served.
    package var openCount: Int { state.withLock { $0.open.count } }

    package func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            if !state.isListenerClosed { LoopbackSocket.shutDown(listener) }
            state.open.forEach(LoopbackSocket.shutDown)
        }
    }
}
