internal import FundCore

/// A failure of a transfer, by what it means for the rest.
enum TransferFailure: Error {
    /// This file cannot go; the others may.
    case file(DriveError)
    /// This file cannot go now; the others may.
    case fileForNow(DriveError)
    /// Nothing goes now: it is tried again after a pause.
    case allForNow(DriveError)
    /// Nothing goes until a person has done something.
    case all(DriveError)
    /// Others wait for the place of this transfer.
    case turnOver
    /// The transfer has ended, or its user may do nothing any more.
    case ended

    /// Throws what is no failure of a transfer: a cancelled task.
    init(_ error: any Error) throws {
        switch error {
        case let failure as TransferFailure: self = failure
        case is CancellationError: throw error
        case let error as DriveError: self = Self.of(error)
        case let error as StoreError: self = Self.of(error)
        default: self = .fileForNow(DriveError(.broken, "\(error)"))
        }
    }

    private static func of(_ error: DriveError) -> TransferFailure {
        switch error.problem {
        case .unreachable, .busy, .noRoomHere, .overQuota: .allForNow(error)
        case .tooSlow, .server, .broken: .fileForNow(error)
        case .off, .forbidden, .settings, .login, .privateAddress, .certificate, .full, .placeGone:
            .all(error)
        case .notFound, .alreadyExists, .refused, .name, .ambiguous, .tooLarge, .tooMany, .changed, .heldBack:
            .file(error)
        }
    }

    private static func of(_ error: StoreError) -> TransferFailure {
        switch error.code {
        case .outOfSpace: .allForNow(DriveError(.noRoomHere))
        case .overQuota: .allForNow(DriveError(.overQuota))
        case .notFound, .conflict: .ended
        case .quarantined, .unscanned: .file(DriveError(.heldBack))
        case .invalid: .file(DriveError(.name, error.detail))
        case .corrupted: .file(DriveError(.broken, error.detail))
        default: .fileForNow(DriveError(.broken, error.detail))
        }
    }
}

/// The pauses of a transfer whose store fails for now.
package enum TransferPace {
    /// Pauses in a row without a file that arrives, until a transfer ends as failed: a store may be down for a night.
    static let maxPauses = 120
    /// Pauses in a row for a watched folder, which is looked at again anyway: new files in it do not wait so long.
    static let maxPausesOfWatch = 3

    /// The pause after this many failures in a row, from 1: two seconds at first, five minutes at most.
    package static func pause(failures: Int) -> Duration { min(.seconds(1 << min(max(failures, 1), 9)), .seconds(300)) }
}
