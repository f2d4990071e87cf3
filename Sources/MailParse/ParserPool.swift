package import Ingest

/// A pool of child processes that take messages apart.
package struct ParserPool: MessageParser {
    package var concurrency: Int { 1 }

    package func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result {
        throw CancellationError()
    }
}
