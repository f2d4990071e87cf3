import FundCore
import Glibc

/// Why one file or folder is not imported; the others are.
struct ImportRefusal: Error {
    /// For people, without a full stop.
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// - Parameter code: see errno(3).
    init(code: Int32) { self.init(SystemText.of(code)) }

    /// Nil for an error of the store as a whole, which ends an import.
    init?(_ error: StoreError) {
        guard error.condition == .input || error.code == .preconditionFailed else { return nil }
        self.init(error.detail)
    }

    /// Runs `body`, and throws what is about one item alone as a refusal.
    static func telling<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch let error as StoreError { throw ImportRefusal(error) ?? error }
    }
}
