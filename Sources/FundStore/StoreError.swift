internal import GRDB
internal import Glibc
package import FundCore

/// A failure of the store: what was tried, and why it cannot be.
package struct StoreError: StoreFailure, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        private enum Name: String {
            case notAStore, newerVersion, held, outOfSpace, corrupted, notFound, alreadyExists, invalid
            case alreadyResolved, conflict, preconditionFailed, outdated, stale, tookTooLong, io
        }
        private let name: Name

        /// The folder holds no store, or something else.
        package static let notAStore = Code(name: .notAStore)
        /// Written by a later version of this program.
        package static let newerVersion = Code(name: .newerVersion)
        /// Another process holds the store.
        package static let held = Code(name: .held)
        package static let outOfSpace = Code(name: .outOfSpace)
        /// Rows or files are not what they were when they were written.
        package static let corrupted = Code(name: .corrupted)
        package static let notFound = Code(name: .notFound)
        package static let alreadyExists = Code(name: .alreadyExists)
        /// The request makes no sense; `detail` says why.
        package static let invalid = Code(name: .invalid)
        /// The misrouted message was filed or rejected before.
        package static let alreadyResolved = Code(name: .alreadyResolved)
        /// It was changed by somebody else in between.
        package static let conflict = Code(name: .conflict)
        /// The item is not in the state that its change was made to depend on.
        package static let preconditionFailed = Code(name: .preconditionFailed)
        /// A cursor of a history that is not this store's.
        package static let outdated = Code(name: .outdated)
        /// Staged before a failed barrier: the files must be written anew, so the message must come again.
        package static let stale = Code(name: .stale)
        /// A question whose answer would have taken longer than others can wait.
        package static let tookTooLong = Code(name: .tookTooLong)
        /// The file system or SQLite failed otherwise.
        package static let io = Code(name: .io)
    }

    package var code: Code
    /// What was tried, for people: `open the store`.
    package var operation: String
    package var detail: String
    /// Of `held`: the command that holds the run lock, when it is known.
    package var holder: String?

    package init(_ code: Code, _ operation: String, _ detail: String) {
        self.code = code
        self.operation = operation
        self.detail = detail
    }

    /// The same call may succeed later without anybody changing it.
    package var isTemporary: Bool { [.held, .outOfSpace, .stale].contains(code) }

    package var description: String { "cannot \(operation): \(detail)" }

    package var kind: StoreFailureKind {
        switch code {
        case .notFound: .notFound
        case .alreadyExists: .alreadyExists
        case .invalid: .invalid
        case .conflict, .alreadyResolved: .conflict
        case .preconditionFailed: .preconditionFailed
        case .outdated: .outdated
        case .outOfSpace: .outOfSpace
        case .held, .stale: .held
        case .corrupted: .corrupted
        case .tookTooLong: .tookTooLong
        default: .unavailable
        }
    }

    /// Turns what SQLite and the file system report into one kind of error; a `StoreError` stays what it is.
    static func wrap(_ error: any Error, _ operation: String) -> any Error {
        switch error {
        case let error as SpoolError where error.isOutOfSpace:
            StoreError(.outOfSpace, operation, "\(error)")
        case let error as SpoolError: StoreError(.io, operation, "\(error)")
        case let error as DatabaseError: StoreError(code(of: error), operation, error.message ?? "\(error.resultCode)")
        default: error
        }
    }

    static func code(of error: DatabaseError) -> Code {
        switch error.resultCode {
        case .SQLITE_FULL: .outOfSpace
        // A file size limit or a quota comes as a failed write; SQLite does not say which errno it was.
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_WRITE: .outOfSpace
        case .SQLITE_BUSY, .SQLITE_LOCKED: .held
        case .SQLITE_CORRUPT: .corrupted
        case .SQLITE_NOTADB: .notAStore
        default: .io
        }
    }
}
