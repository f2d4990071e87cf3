/// The reason for which a drive does not do what it is asked. Raw values are stored.
package enum DriveProblem: String, Sendable, Hashable, CaseIterable {
    /// Drives are off, or cannot be confined on this machine.
    case off
    /// The administrators do not allow this kind or this host.
    case forbidden
    /// A setting is missing or cannot stand.
    case settings
    /// The store refuses the password, the key or the token.
    case login
    /// The host resolves to an address that drives may not reach.
    case privateAddress = "private_address"
    case unreachable
    case certificate
    case tooSlow = "too_slow"
    case notFound = "not_found"
    case alreadyExists = "already_exists"
    /// The store refuses the operation for this account (403).
    case refused
    /// The store asks for a pause (429, 503).
    case busy
    /// The store has no room left.
    case full
    /// A name or path that the store cannot have.
    case name
    /// Two things in one folder of the store have this name: nothing tells which is meant.
    case ambiguous
    /// A file that is larger than it may be here.
    case tooLarge = "too_large"
    /// A folder of too many entries to be listed.
    case tooMany = "too_many"
    /// The content is not what the store said that it is: another size or checksum, or changed while it was read.
    case changed
    /// The fund or folder is not there any more, or is not the person's.
    case placeGone = "place_gone"
    /// The file is kept from people here, for malware or until a scanner has looked at it.
    case heldBack = "held_back"
    /// There is no room left on this machine.
    case noRoomHere = "no_room_here"
    /// The person, or all people together, have no room left for the file here (`StorageLimits`).
    case overQuota = "over_quota"
    /// Any other failure of the store.
    case server
    /// The process that asks the store broke.
    case broken

    /// Whether it concerns a file, or a folder, and not the store as a whole.
    package var isOfOneFile: Bool {
        switch self {
        case .notFound, .alreadyExists, .refused, .name, .ambiguous, .tooLarge, .tooMany, .changed, .heldBack: true
        case .off, .forbidden, .settings, .login, .privateAddress, .unreachable, .certificate, .tooSlow, .busy, .full,
            .placeGone, .noRoomHere, .overQuota, .server, .broken:
            false
        }
    }

    /// A sentence in English without a full stop.
    package var text: String {
        switch self {
        case .off: "drives are off here"
        case .forbidden: "the administrators do not allow this store"
        case .settings: "a setting is not right"
        case .login: "the store refuses the login"
        case .privateAddress: "the address leads to a machine that drives may not reach"
        case .unreachable: "the store cannot be reached"
        case .certificate: "the certificate of the store is not valid"
        case .tooSlow: "the store does not answer in time"
        case .notFound: "the store has nothing of this name"
        case .alreadyExists: "the store has something of this name already"
        case .refused: "the store does not allow it"
        case .busy: "the store asks for a pause"
        case .full: "the store has no room left"
        case .name: "the store cannot have this name"
        case .ambiguous: "two things in the store have this name: rename one of them there"
        case .tooLarge: "the file is too large"
        case .tooMany: "the folder holds too much to be listed"
        case .changed: "the file changed while it was read"
        case .placeGone: "the fund or folder is not there any more"
        case .heldBack: "the file is held back here: a scanner has to let it pass first"
        case .noRoomHere: "there is no room left on this machine"
        case .overQuota: "there is no room left for your files here"
        case .server: "the store has an error"
        case .broken: "the process that asks the store broke down"
        }
    }
}

/// A failure of a drive.
package struct DriveError: OperationalError, Sendable, CustomStringConvertible {
    package var problem: DriveProblem
    /// More about it in English, such as the status. Never a secret. Nil when nothing is known.
    package var detail: String?

    package init(_ problem: DriveProblem, _ detail: String? = nil) { (self.problem, self.detail) = (problem, detail) }

    package var isTemporary: Bool { [.unreachable, .tooSlow, .busy, .server, .broken].contains(problem) }

    package var condition: ErrorCondition {
        switch problem {
        case .forbidden, .settings, .notFound, .alreadyExists, .name, .ambiguous, .tooLarge, .tooMany, .placeGone,
            .heldBack:
            .input
        case .off: .configuration
        case .busy: .busy
        case .full, .noRoomHere, .overQuota: .outOfSpace
        default: .unavailable
        }
    }

    package var description: String { detail.map { "\(problem.text) (\($0))" } ?? problem.text }
}
