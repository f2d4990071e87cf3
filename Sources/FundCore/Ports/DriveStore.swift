/// The part of the store that keeps people's drives and what is on its way between drives and funds. Each call of a
/// user sees what is theirs; what belongs to another answers `notFound`. Errors are `StoreError`.
package protocol DriveStore: Sendable {
    // MARK: Drives

    /// By name.
    func drives(of user: User.ID) async throws -> [Drive]
    /// One drive.
    func drive(_ id: Drive.ID, of user: User.ID) async throws -> Drive
    /// Throws `alreadyExists` for a name that is taken, and `invalid` with a problem for one that no folder could have,
    /// and beyond `DriveLimits.maxDrives`.
    func addDrive(_ drive: NewDrive, of user: User.ID) async throws -> Drive
    /// Throws as `addDrive` would now.
    func checkNewDrive(named name: String, of user: User.ID) async throws
    /// Throws as `addDrive`.
    func renameDrive(_ id: Drive.ID, to name: String, of user: User.ID) async throws -> Drive
    /// Replaces settings, after a person entered others: of the same kind, else `invalid`.
    func changeDrive(_ id: Drive.ID, _ settings: DriveSettings, of user: User.ID) async throws -> Drive
    /// Forgets a drive, its secrets and its transfers, which end. What the store has stays there.
    func removeDrive(_ id: Drive.ID, of user: User.ID) async throws
    /// With its secrets, unsealed. Throws `DriveError` with `login` where they were sealed under another server.key.
    func driveAccess(_ id: Drive.ID, of user: User.ID) async throws -> DriveAccess
    /// Keeps a token that the store rotated, unless the settings have changed since `revision`: then nothing happens,
    /// and false is returned. Durable when it returns.
    func keepToken(_ token: String, of id: Drive.ID, ifRevision revision: Int64) async throws -> Bool
    /// Makes this task the one, of all processes, that asks for new tokens of a drive, until the lease or its process
    /// ends. Waits for another one; nil when that takes long.
    func tokenLease(of id: Drive.ID) async throws -> (any MailboxLease)?
    /// Notes the result of an operation, nil for a success. Writes nothing where that stands already.
    func noteProblem(_ problem: DriveProblem?, of id: Drive.ID) async throws

    // MARK: Transfers

    /// The latest first.
    func transfers(of user: User.ID, _ page: PageQuery) async throws -> ListPage<DriveTransfer>
    /// One transfer, which may have ended.
    func transfer(_ id: DriveTransfer.ID, of user: User.ID) async throws -> DriveTransfer
    /// Throws `invalid` with a problem for nothing, for more than `NewDriveTransfer.maxItems`, and beyond
    /// `DriveLimits.maxWaiting`, and `notFound` for a place or an item that is not the user's. A new folder is made
    /// with the transfer, or not at all; throws as `addFolder` of the library.
    func addTransfer(_ transfer: NewDriveTransfer, of user: User.ID) async throws -> DriveTransfer
    /// Ends a transfer that waits, and asks one that runs to end. Files that have arrived stay. Throws `conflict` for
    /// one that has ended.
    func cancelTransfer(_ id: DriveTransfer.ID, of user: User.ID) async throws
    /// Queues a transfer that failed or was cancelled again; what it has done is not done again. Throws `conflict` for
    /// another one and for one of a watched folder, which begins new ones by itself, `notFound` for a disabled user,
    /// and `invalid` with a problem beyond `DriveLimits.maxWaiting`.
    func retryTransfer(_ id: DriveTransfer.ID, of user: User.ID) async throws
    /// Number of the latest change of a user's drives and transfers. Takes microseconds.
    func driveVersion(of user: User.ID) async throws -> Int64
    /// The users whose drives or transfers changed after the change of this number; with nil only the number of the
    /// latest change.
    func changedDrives(after number: Int64?) async throws -> ChangedLibraries
}

/// The part of the store for the process that carries transfers out: one at a time has the lease.
package protocol TransferRegister: Sendable {
    /// Makes this process the one that carries transfers out, until the lease or its process ends; nil while another
    /// process is. Transfers that the process before left as `running` are queued again.
    func transferLease() async throws -> (any MailboxLease)?
    /// The next transfer, now `running`; people take turns. Nil when none waits.
    /// - Parameter others: users of whom as many run as may.
    func nextTransfer(besides others: Set<User.ID>) async throws -> DriveTransfer?
    /// Whether `nextTransfer` would give one. Takes microseconds.
    func isTransferWaiting(besides others: Set<User.ID>) async throws -> Bool
    /// Whether its owner has cancelled it, removed its drive or was disabled. Takes microseconds.
    func isCancelled(_ id: DriveTransfer.ID) async throws -> Bool
    /// Shows people how far a running transfer is; harmless for another one.
    func noteProgress(_ progress: TransferProgress, of id: DriveTransfer.ID) async throws
    /// Adds a file that was pulled, and notes in the same transaction that this transfer has it: after a crash it is
    /// not pulled again. Nil when it was noted before, and when a watched folder brings what the place has already; the
    /// upload is given up then. Throws `DriveError` with
    /// `placeGone` where the transfer's place is not the user's any more, `conflict` and `notFound` for a transfer that
    /// has ended.
    /// - Parameters:
    ///   - version: the state of the content (`DriveEntry.contentMark`).
    ///   - name: another one is taken where the library cannot have it, or has it already.
    ///   - folder: names of folders below the transfer's place, which are made where they are missing.
    func addPulled(
        _ upload: StagedUpload, from path: DrivePath, version: String?, named name: String, in folder: [String],
        modifiedAt: Timestamp?, of id: DriveTransfer.ID
    ) async throws -> FileEntry?
    /// Notes that a file of a pull for a watched folder cannot go, so that it is not tried for ever. A problem that is
    /// not of one file counts against it only when the transfer has ended and brought others: else it is the store's.
    /// Nothing happens for other transfers.
    func noteRefused(_ path: DrivePath, _ problem: DriveProblem, of id: DriveTransfer.ID) async throws
    /// Makes folders below the transfer's place where they are missing: a folder of the drive is empty. Throws as
    /// `addPulled`.
    func addPulledFolder(_ folder: [String], of id: DriveTransfer.ID) async throws
    /// Whether `addPulled` has noted this path.
    func isPulled(_ path: DrivePath, of id: DriveTransfer.ID) async throws -> Bool
    /// Notes, before the first byte goes, that this transfer writes a file of the library to `target`, so that one that
    /// finds it there after a crash knows whose it is. Throws as `addPulled` for a transfer that has ended.
    func noteWriting(_ target: DrivePath, for file: PushedFile, of id: DriveTransfer.ID) async throws
    /// Whether `noteWriting` has noted this.
    func isWriting(_ target: DrivePath, for file: PushedFile, of id: DriveTransfer.ID) async throws -> Bool
    /// Notes that a file has arrived in the drive. Throws as `addPulled` for a transfer that has ended.
    func notePushed(_ file: PushedFile, of id: DriveTransfer.ID) async throws
    /// Whether `notePushed` has noted this file.
    func isPushed(_ file: PushedFile, of id: DriveTransfer.ID) async throws -> Bool
    /// Ends a running transfer as `done`, `failed` or `cancelled`.
    func endTransfer(
        _ id: DriveTransfer.ID, as state: DriveTransfer.State, problem: DriveProblem?, detail: String?
    ) async throws
    /// Puts a running transfer back to the queue, not to be tried before `time`: the store cannot be reached now.
    func deferTransfer(
        _ id: DriveTransfer.ID, until time: Timestamp, problem: DriveProblem?, detail: String?
    ) async throws
    /// Forgets transfers that ended before `time`. Returns their number.
    func removeOldTransfers(before time: Timestamp) async throws -> Int
}
