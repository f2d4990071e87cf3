/// A failure of the store, whichever database it uses: what was tried, and why it cannot be done.
package struct StoreError: OperationalError, Sendable, CustomStringConvertible {
    /// The reason of a failure.
    package struct Code: Hashable, Sendable {
        private enum Name: String {
            case notAStore, rowsLost, logLost, newerVersion, held, outOfSpace, corrupted, notFound, alreadyExists
            case invalid, alreadyResolved, conflict, preconditionFailed, outdated, stale, tookTooLong, quarantined,
                unscanned
            case tooMany, overQuota, unreachable, uncertain, io
        }
        private let name: Name

        /// The folder holds no store, or something else.
        package static let notAStore = Code(name: .notAStore)
        /// The log holds segments and the database no row of them: it is missing, empty or another one.
        package static let rowsLost = Code(name: .rowsLost)
        /// Rows name segments of the log, and most of them are not there; or its folder is another than was opened.
        package static let logLost = Code(name: .logLost)
        /// Written by a later version of this program.
        package static let newerVersion = Code(name: .newerVersion)
        /// Another process holds the store, or the database is busy: the same call may succeed later.
        package static let held = Code(name: .held)
        package static let outOfSpace = Code(name: .outOfSpace)
        /// Rows or files are not what they were when they were written.
        package static let corrupted = Code(name: .corrupted)
        /// It does not exist, or belongs to another user: callers cannot tell these apart.
        package static let notFound = Code(name: .notFound)
        /// The name is taken.
        package static let alreadyExists = Code(name: .alreadyExists)
        /// The request makes no sense; `detail` says why.
        package static let invalid = Code(name: .invalid)
        /// The misrouted message was filed or rejected before.
        package static let alreadyResolved = Code(name: .alreadyResolved)
        /// It was changed in between.
        package static let conflict = Code(name: .conflict)
        /// The item does not meet the condition of the change (`ItemCondition`).
        package static let preconditionFailed = Code(name: .preconditionFailed)
        /// A cursor of a history that is not this store's.
        package static let outdated = Code(name: .outdated)
        /// Staged before a failed barrier: the files must be written anew, so the message must come again.
        package static let stale = Code(name: .stale)
        /// The answer would have taken longer than other requests can wait; a narrower question may have one.
        package static let tookTooLong = Code(name: .tookTooLong)
        /// Malware was found in the content (`QuarantineRegister`); `detail` names it.
        package static let quarantined = Code(name: .quarantined)
        /// No scanner has looked at the content yet, and none is given before (`scan: {unscanned: hold}`).
        package static let unscanned = Code(name: .unscanned)
        /// The user has as many of something as one may have at a time.
        package static let tooMany = Code(name: .tooMany)
        /// The person, or the store, may not hold more (`StorageLimits`). `detail` is for them and administrators.
        package static let overQuota = Code(name: .overQuota)
        /// The server of the database cannot be reached. Nothing was changed; the same call may succeed later.
        package static let unreachable = Code(name: .unreachable)
        /// The line to the database ended between a commit and its answer: all was changed, or nothing. The same call
        /// again is right where doing it twice is.
        package static let uncertain = Code(name: .uncertain)
        /// The file system or the database failed otherwise.
        package static let io = Code(name: .io)
    }

    package var code: Code
    /// The operation that failed, for people: `open the store`.
    package var operation: String
    package var detail: String
    /// The mistake of a person, of an `invalid` that is one.
    package var problem: InputProblem.Kind?

    /// `invalid`.
    package init(_ operation: String, _ problem: InputProblem) {
        self.init(.invalid, operation, problem.text)
        self.problem = problem.kind
    }

    package init(_ code: Code, _ operation: String, _ detail: String) {
        self.code = code
        self.operation = operation
        self.detail = detail
    }

    /// Whether the code is one of these.
    package func isOne(of codes: Code...) -> Bool { codes.contains(code) }

    package var isTemporary: Bool { [.held, .outOfSpace, .stale, .unreachable, .uncertain].contains(code) }

    package var condition: ErrorCondition {
        switch code {
        case .held, .stale, .tookTooLong, .unscanned: .busy
        case .outOfSpace, .overQuota: .outOfSpace
        case .unreachable, .uncertain: .unavailable
        case .notAStore, .newerVersion: .configuration
        case .notFound, .alreadyExists, .invalid, .alreadyResolved, .conflict, .quarantined, .tooMany: .input
        default: .storage
        }
    }

    package var description: String { "cannot \(operation): \(detail)" }
}
