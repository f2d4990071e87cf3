internal import FundCore
internal import GRDB

extension StoreError {
    /// Turns errors of SQLite, of the log and of the file system into a `StoreError`; any other error stays as it is.
    static func wrap(_ error: any Error, _ operation: String) -> any Error {
        switch error {
        case let error as SpoolError: StoreError(error.isOutOfSpace ? .outOfSpace : .io, operation, "\(error)")
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

    /// The last is of a disk that has no room for what two processes share, see `SharedMemoryRoom`.
    private static let outOfSpaceCodes: [ResultCode] = [
        .SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP,
    ]

    private static func code(of error: DatabaseError) -> Code {
        switch error.resultCode {
        case .SQLITE_FULL: .outOfSpace
        // A file size limit or a quota comes as a failed write; of a broken disk `Database.transaction` throws another
        // error.
        case .SQLITE_IOERR
        where outOfSpaceCodes.contains(error.extendedResultCode): .outOfSpace
        case .SQLITE_BUSY, .SQLITE_LOCKED: .held
        case .SQLITE_CORRUPT: .corrupted
        case .SQLITE_NOTADB: .notAStore
        default: .io
        }
    }
}
