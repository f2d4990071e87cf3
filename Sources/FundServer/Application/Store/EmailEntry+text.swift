internal import FundHTTP
internal import FundCore

extension EmailEntry {
    /// Runs `read` with `plainText` on a thread that may block: the words of hostile HTML take tens of milliseconds,
    /// and a thread that answers requests has none to spare.
    func withPlainText<Result: Sendable>(
        _ read: @escaping @Sendable (String) -> Result
    ) async throws -> Result {
        try await BlockingThreads.run { [self] in read(plainText) }
    }
}
