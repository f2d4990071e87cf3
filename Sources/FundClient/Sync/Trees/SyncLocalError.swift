/// Why something could not be done in the kept folder.
struct SyncLocalError: Error, Sendable, Hashable, CustomStringConvertible {
    enum Code: Sendable, Hashable {
        /// It is not what it was when the plan was made: another look is needed.
        case changed
        /// What it needs could not be done before, for which there is a reason of its own.
        case blocked
        /// The name is taken: another look is needed.
        case taken
        /// Another process keeps the folder.
        case busy
        /// The disk is full.
        case noSpace
        /// The file system cannot hold the name.
        case badName
        /// A test ends the run here, as a kill would.
        case stopped
        /// What the system says.
        case system
    }

    var code: Code
    /// For people, in English.
    var detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    init(_ failure: FileCalls.Failure) {
        detail = failure.detail
        code =
            switch failure {
            case .exists: .taken
            case .notEmpty: .changed
            case _ where failure.isMissing: .changed
            case _ where failure.isNoSpace: .noSpace
            case _ where failure.isBadName: .badName
            default: .system
            }
    }

    var needsAnotherLook: Bool { code == .changed || code == .taken }

    var description: String { detail }
}
