internal import Foundation
internal import GRDB

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
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
            self.init(.noSpaceHere, error.message ?? "the disk is full")
        case let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && Task.isCancelled:
            self.init(.cancelled, "cancelled")
        case let error as DatabaseError:
            self.init(.local, "\(error.message ?? "unknown") (SQLite \(error.extendedResultCode.rawValue))")
        default: self.init(.local, "\(error)")
        }
    }

    /// A name that was to be made is there already.
    var isNameTaken: Bool { systemCode == EEXIST }
}
