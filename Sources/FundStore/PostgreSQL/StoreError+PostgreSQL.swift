import FundCore
import PostgreSQLRoom

extension StoreError {
    /// Turns errors of PostgreSQL into a `StoreError`; any other error stays as it is.
    static func wrap(postgreSQL error: any Error, _ operation: String) -> any Error {
        guard let error = error as? PostgreSQLError else { return error }
        guard error.code != .cancelled else { return CancellationError() }
        return StoreError(code(of: error.code), operation, error.description)
    }

    private static func code(of code: PostgreSQLError.Code) -> Code {
        switch code {
        case .full: .outOfSpace
        case .unreachable, .lost, .readOnly: .unreachable
        case .uncertain: .uncertain
        case .busy, .conflict, .planChanged, .lockTimeout: .held
        case .tookTooLong: .tookTooLong
        case .damaged: .corrupted
        case .textRefused: .invalid
        case .unsuitable: .notAStore
        default: .io
        }
    }
}
