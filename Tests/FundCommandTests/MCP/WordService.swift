import Synchronization
import TestSupport

@testable import FundCommand

/// A service whose tools need no server, so that tests see the protocol alone.
struct WordService: MCPService {
    /// Calls of `wait` that have begun.
    let waiting = Waiting()

    let instructions = "For tests."
    let resourceTemplates: [JSONValue] = []

    final class Waiting: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    var tools: [MCPTool] {
        [
            MCPTool(
                name: "echo", title: "Echo", description: "Gives the word back.",
                parameters: [.text("word", "A word.", isRequired: true)]
            ) { .said($0.text("word") ?? "") },
            MCPTool(name: "wait", title: "Wait", description: "Ends when it is cancelled.") { [waiting] _ in
                waiting.add()
                await untilCancelled()
                throw CancellationError()
            },
            MCPTool(name: "fail", title: "Fail", description: "Fails.") { _ in throw MCPProblem("It is broken.") },
        ]
    }

    func resources(after cursor: String?) async throws -> MCPResourcePage {
        guard cursor == nil || cursor == "1" else { throw RPCError.invalidParameters("There is no such cursor.") }
        return MCPResourcePage(resources: [["uri": "word://a"]], next: cursor == nil ? "1" : nil)
    }

    func content(at address: String) async throws -> [JSONValue] {
        guard address == "word://a" else { throw RPCError.resourceNotFound("There is no such word.") }
        return [["uri": "word://a", "text": "a"]]
    }
}
