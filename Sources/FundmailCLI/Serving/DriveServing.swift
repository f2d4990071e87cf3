import Dispatch
import DriveBridge
import FundCore
import FundServer
import FundStore
import Glibc
import Logging

/// People's drives beside what else runs, where the configuration allows them.
struct DriveServing: Sendable {
    let operations: any DriveOperations
    let signingIn: any DriveSigningIn
    let transfers: TransferService

    /// Tries whether a process of a drive can be confined here, which takes some 100 ms. Throws `DriveError`.
    init(_ rules: DriveRules, _ store: FundStore, _ logger: Logger) async throws {
        let drives = try await DispatchQueue.runAlone("fundmail.drives.start") {
            try RcloneDrives(store.drives, rules, substitutes: DebugSwitches.driveHosts)
        }
        if let reason = drives.offReason { logger.warning("drives are off: \(reason)") }
        for problem in SignInCheck.problems(of: rules, fileIsReadable: { access($0, R_OK) == 0 }) {
            logger.warning("drives: \(problem.text)")
        }
        (operations, signingIn) = (drives, drives)
        transfers = TransferService(drives.patient, store)
    }
}
