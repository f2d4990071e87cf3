import Testing

/// Has the stores of a test keep their rows on PostgreSQL.
struct RowsOnServer: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await StoreHarness.$isOnServer.withValue(true) { try await function() }
    }
}

extension Trait where Self == RowsOnServer {
    static var rowsOnServer: Self { Self() }
}
