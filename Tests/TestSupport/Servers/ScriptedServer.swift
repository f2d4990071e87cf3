internal import Glibc
import Synchronization

/// A mail server that does what a transcript says, however wrong: see `ServerScript` for what a transcript can say.
package final class ScriptedServer: Sendable {
    /// The events on the connections so far.
    package struct Record: Sendable {
        /// Each client's lines, without their ends.
        package var lines: [[String]] = []
        /// Events that the transcript did not foresee.
        package var problems: [String] = []
        /// Bytes that clients sent, lines or not.
        package var receivedBytes = 0
        /// Bytes that could be sent to clients.
        package var sentBytes = 0
        /// Indexes of the `ONCE` rules that are used up.
        var spent: Set<Int> = []
    }

    /// Shared with the threads of the connections.
    final class Log: Sendable {
        let record = Mutex(Record())
    }

    package let script: ServerScript
    private let log: Log
    private let server: LoopbackServer

    package init(_ script: ServerScript) throws {
        self.script = script
        let log = Log()
        self.log = log
        server = try LoopbackServer { number, socket in
            log.record.withLock { record in
                while record.lines.count <= number { record.lines.append([]) }
            }
            var conversation = ScriptedConversation(script: script, socket: socket, number: number, log: log)
            conversation.run()
        }
    }

    deinit { server.stop() }

    package var port: Int { server.port }
    package var record: Record { log.record.withLock { $0 } }
    /// Every client line of every connection.
    package var lines: [String] { record.lines.flatMap(\.self) }
    package var connections: Int { server.accepted }

    package func stop() { server.stop() }

    /// Waits until no connection is open: then every client has let go, and the record is complete. False after a
    /// minute.
    package func waitUntilIdle() async -> Bool { (try? await becomesTrue { server.openCount == 0 }) ?? false }
}
