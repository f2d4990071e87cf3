import FundCore
import Synchronization

/// A register whose disk is full for a time: ends of attempts are not written then, and progress never is.
final class FullRegister: TransferRegister {
    private let base: any TransferRegister
    /// Writes of ends that fail from now on.
    private let failures: Mutex<Int>
    /// Raised by each write that fails.
    let failed: Signal

    init(_ base: any TransferRegister, failures: Int, _ failed: Signal) {
        (self.base, self.failed) = (base, failed)
        self.failures = Mutex(failures)
    }

    private func fail(_ operation: String) throws {
        let fails = failures.withLock { failures in
            guard failures > 0 else { return false }
            failures -= 1
            return true
        }
        guard fails else { return }
        failed.raise()
        throw StoreError(.outOfSpace, operation, "the disk is full")
    }

    func noteProgress(_ progress: TransferProgress, of id: DriveTransfer.ID) async throws {
        throw StoreError(.outOfSpace, "note progress", "the disk is full")
    }

    func endTransfer(
        _ id: DriveTransfer.ID, as state: DriveTransfer.State, problem: DriveProblem?, detail: String?
    ) async throws {
        try fail("end a transfer")
        try await base.endTransfer(id, as: state, problem: problem, detail: detail)
    }

    func deferTransfer(
        _ id: DriveTransfer.ID, until time: Timestamp, problem: DriveProblem?, detail: String?
    ) async throws {
        try fail("put a transfer off")
        try await base.deferTransfer(id, until: time, problem: problem, detail: detail)
    }

    // MARK: Calls that succeed

    func transferLease() async throws -> (any MailboxLease)? { try await base.transferLease() }

    func nextTransfer(besides others: Set<User.ID>) async throws -> DriveTransfer? {
        try await base.nextTransfer(besides: others)
    }

    func isTransferWaiting(besides others: Set<User.ID>) async throws -> Bool {
        try await base.isTransferWaiting(besides: others)
    }

    func isCancelled(_ id: DriveTransfer.ID) async throws -> Bool { try await base.isCancelled(id) }

    func addPulled(
        _ upload: StagedUpload, from path: DrivePath, version: String?, named name: String, in folder: [String],
        modifiedAt: Timestamp?, of id: DriveTransfer.ID
    ) async throws -> FileEntry? {
        try await base.addPulled(
            upload, from: path, version: version, named: name, in: folder, modifiedAt: modifiedAt, of: id)
    }

    func noteRefused(_ path: DrivePath, _ problem: DriveProblem, of id: DriveTransfer.ID) async throws {
        try await base.noteRefused(path, problem, of: id)
    }

    func addPulledFolder(_ folder: [String], of id: DriveTransfer.ID) async throws {
        try await base.addPulledFolder(folder, of: id)
    }

    func isPulled(_ path: DrivePath, of id: DriveTransfer.ID) async throws -> Bool {
        try await base.isPulled(path, of: id)
    }

    func noteWriting(_ target: DrivePath, for file: PushedFile, of id: DriveTransfer.ID) async throws {
        try await base.noteWriting(target, for: file, of: id)
    }

    func isWriting(_ target: DrivePath, for file: PushedFile, of id: DriveTransfer.ID) async throws -> Bool {
        try await base.isWriting(target, for: file, of: id)
    }

    func notePushed(_ file: PushedFile, of id: DriveTransfer.ID) async throws {
        try await base.notePushed(file, of: id)
    }

    func isPushed(_ file: PushedFile, of id: DriveTransfer.ID) async throws -> Bool {
        try await base.isPushed(file, of: id)
    }

    func removeOldTransfers(before time: Timestamp) async throws -> Int {
        try await base.removeOldTransfers(before: time)
    }
}
