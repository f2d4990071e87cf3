import FundCore

@testable import Ingest

/// Reads every message as one without header and text.
struct EmptyParser: MessageParser {
    let concurrency: Int

    func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result { try body(Worker()) }

    private final class Worker: ParseWorker {
        func parse(_ message: SpooledMessage, limits: ParseLimits) -> ParseResult {
            .message(ParsedMessage(header: MessageHeader()))
        }

        func readAttachment(_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) {}
    }
}
