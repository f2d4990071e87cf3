internal import Foundation
internal import GRDB
#if canImport(SQLiteRoom)
    internal import SQLiteRoom
#endif

extension ClientError {
    /// What a call of the system said.
    /// - Parameter subject: what it was about: a path.
    init(errno code: Int32, _ subject: String) {
        let isFull = code == ENOSPC || code == EDQUOT
        self.init(isFull ? .noSpaceHere : .local, "\(subject): \(String(cString: strerror(code)))")
        systemCode = code
    }

    /// What SQLite, a task's end or a call of the system said.
    /// - Parameter error: anything that a database access throws.
    init(local error: any Error) {
        switch error {
        case let error as ClientError: self = error
        case is CancellationError: self.init(.cancelled, "cancelled")
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL || Self.lacksRoom(error):
            self.init(.noSpaceHere, error.message ?? "the disk is full")
        case let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && Task.isCancelled:
            self.init(.cancelled, "cancelled")
        case let error as DatabaseError:
            self.init(.local, "\(error.message ?? "unknown") (SQLite \(error.extendedResultCode.rawValue))")
        default: self.init(.local, "\(error)")
        }
    }

    /// Whether SQLite had no room, where its code does not tell that from a broken disk.
    private static func lacksRoom(_ error: DatabaseError) -> Bool {
        #if canImport(SQLiteRoom)
            let codes: [ResultCode] = [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP]
            return codes.contains(error.extendedResultCode) && FailedCall.wasForLackOfRoom
        #else
            return false
        #endif
    }

    /// A name that was to be made is there already.
    var isNameTaken: Bool { systemCode == EEXIST }
}
