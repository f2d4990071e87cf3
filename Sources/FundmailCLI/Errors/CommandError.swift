import FundCore

/// Exit statuses of sysexits.h that this program uses.
enum ExitStatus: Int32, Sendable {
    case usage = 64
    /// The input cannot be read, or says something that cannot be done.
    case input = 65
    /// A service cannot be reached; here: the parser child does not start.
    case unavailable = 69
    /// A failure that no input should be able to cause.
    case software = 70
    /// The store cannot be written.
    case cannotCreate = 73
    /// Standard output cannot be written.
    case outputFailed = 74
    /// Try again later: another process holds the store.
    case temporary = 75
    case configuration = 78

    init(_ condition: ErrorCondition) {
        self =
            switch condition {
            case .input: .input
            case .configuration: .configuration
            case .unavailable: .unavailable
            case .busy: .temporary
            case .outOfSpace, .storage: .cannotCreate
            }
    }
}

/// Why a command failed: one sentence for people that says what to do next, and the exit status.
struct CommandError: Error, Sendable, CustomStringConvertible {
    var status: ExitStatus
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    var description: String { message }
}
