import FundCore

@testable import Ingest

/// Reads every message as one with the same header and without text.
struct EmptyParser: MessageParser {
    let concurrency: Int
    var header = MessageHeader()

    func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result { try body(Worker(header: header)) }

    private final class Worker: ParseWorker {
        private let header: MessageHeader

        init(header: MessageHeader) { self.header = header }

        func parse(_ message: SpooledMessage, limits: ParseLimits) -> ParseResult {
            .message(ParsedMessage(header: header))
        }

        func readAttachment(_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) {}
    }
}
