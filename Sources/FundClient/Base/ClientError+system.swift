internal import Foundation
internal import GRDB
#if canImport(SQLiteRoom)
    internal import SQLiteRoom
#endif

extension ClientError {
    /// Failure of a call of the system.
    /// - Parameter subject: what it was about: a path.
    init(errno code: Int32, _ subject: String) {
        let isFull = code == ENOSPC || code == EDQUOT
        self.init(isFull ? .noSpaceHere : .local, "\(subject): \(String(cString: strerror(code)))")
        systemCode = code
    }

    /// Failure of SQLite, of a call of the system, or of a cancelled task.
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

    /// The system's words for the failure, without the path.
    var systemDetail: String { systemCode.map { String(cString: strerror($0)) } ?? detail }

    /// The path has no file or folder.
    var isMissing: Bool { systemCode == ENOENT || systemCode == ENOTDIR }
    /// Something has the new name already.
    var isNameTaken: Bool { systemCode == EEXIST }
    /// The folder to be removed has something in it.
    var isNotEmpty: Bool { systemCode == ENOTEMPTY }
    /// The file system cannot hold such a name.
    var isBadName: Bool { systemCode == ENAMETOOLONG || systemCode == EINVAL || systemCode == EILSEQ }
    /// The file system holds no such time.
    var isBeyondRange: Bool { systemCode == EOVERFLOW || systemCode == ERANGE }
    /// The file system does not know the call, or that mode of it: FAT and exFAT have no links and no rights, and a
    /// file system over FUSE has what its program knows.
    var isUnsupported: Bool { [ENOSYS, EINVAL, ENOTSUP, EPERM, EMLINK].contains(systemCode) }
}
