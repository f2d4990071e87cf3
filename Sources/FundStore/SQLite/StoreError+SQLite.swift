internal import FundCore
internal import GRDB
internal import SQLiteRoom

extension StoreError {
    /// Turns errors of SQLite, of the log and of the file system into a `StoreError`; any other error stays as it is.
    static func wrap(_ error: any Error, _ operation: String) -> any Error {
        switch error {
        case let error as DiskError: StoreError(error.isOutOfSpace ? .outOfSpace : .io, operation, "\(error)")
        case let damage as LogDamage: StoreError(.corrupted, operation, damage.description)
        case let error as DatabaseError: StoreError(code(of: error), operation, error.message ?? "\(error.resultCode)")
        default: error
        }
    }

    /// Throws the errors of `body` as `wrap` turns them.
    static func wrapping<Value>(_ operation: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw wrap(error, operation) }
    }

    /// An error of SQLite or of the file system says so.
    static func isOutOfSpace(_ error: any Error) -> Bool {
        !(error is StoreError) && (wrap(error, "") as? StoreError)?.code == .outOfSpace
    }

    /// Codes that SQLite has for a broken disk and for one without room: a quota, a limit on the size of files, no room
    /// for what processes share, see `FailedCall`.
    private static let ambiguousCodes: [ResultCode] = [
        .SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP,
    ]

    private static func code(of error: DatabaseError) -> Code {
        switch error.resultCode {
        case .SQLITE_FULL: .outOfSpace
        case .SQLITE_IOERR where ambiguousCodes.contains(error.extendedResultCode) && FailedCall.wasForLackOfRoom:
            .outOfSpace
        case .SQLITE_BUSY, .SQLITE_LOCKED: .held
        case .SQLITE_CORRUPT: .corrupted
        case .SQLITE_NOTADB: .notAStore
        default: .io
        }
    }
}
