internal import FundCore
internal import NIOPosix

extension EmailEntry {
    /// Runs `read` with `plainText` on a thread that may block: the words of hostile HTML take tens of milliseconds,
    /// and a thread that answers requests has none to spare.
    func withPlainText<Result: Sendable>(
        _ read: @escaping @Sendable (String) -> Result
    ) async throws -> Result {
        try await NIOThreadPool.singleton.runIfActive { [self] in read(plainText) }
    }
}
