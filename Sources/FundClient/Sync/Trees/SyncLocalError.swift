/// Why something could not be done in the kept folder.
struct SyncLocalError: Error, Sendable, Hashable, CustomStringConvertible {
    enum Code: Sendable, Hashable {
        /// It is not what it was when the plan was made: another look is needed.
        case changed
        /// A step before it failed, for which there is a reason of its own.
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
        /// Any other failure of a call of the system.
        case system
    }

    var code: Code
    /// For people, in English.
    var detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The failure of a call of the system.
    init(_ error: ClientError) {
        detail = error.systemDetail
        code =
            switch error {
            case _ where error.isNameTaken: .taken
            case _ where error.isNotEmpty || error.isMissing: .changed
            case _ where error.code == .noSpaceHere: .noSpace
            case _ where error.isBadName: .badName
            default: .system
            }
    }

    var needsAnotherLook: Bool { code == .changed || code == .taken }

    var description: String { detail }
}
