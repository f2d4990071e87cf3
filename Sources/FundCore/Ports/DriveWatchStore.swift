/// The part of the store that keeps people's watched folders. Each call of a user sees what is theirs; what belongs to
/// another answers `notFound`. Errors are `StoreError`.
package protocol DriveWatchStore: Sendable {
    /// All of a user, by their ids: `DriveLimits.maxWatches` at most.
    func watches(of user: User.ID) async throws -> [DriveWatch]
    /// One watched folder.
    func watch(_ id: DriveWatch.ID, of user: User.ID) async throws -> DriveWatch
    /// Watches a folder from now on; files that lie in it are filed, too. Throws `invalid` with a problem for a folder
    /// that is watched already, for rules that cannot stand, and beyond `DriveLimits.maxWatches`; `notFound` for a
    /// drive or a place that is not the user's.
    func addWatch(_ watch: NewDriveWatch, of user: User.ID) async throws -> DriveWatch
    /// Throws as `addWatch`.
    func changeWatch(_ id: DriveWatch.ID, _ change: DriveWatchChange, of user: User.ID) async throws -> DriveWatch
    /// Watches a folder no more, and cancels its transfer. What is filed stays.
    func removeWatch(_ id: DriveWatch.ID, of user: User.ID) async throws
    /// Files that cannot be filed, or could not be moved or marked, by name; a bounded number of them.
    func refusedFiles(of id: DriveWatch.ID, _ user: User.ID) async throws -> [WatchedFile]
}

/// The part of the store for the process that looks at watched folders: the one that has the lease of transfers.
package protocol WatchRegister: Sendable {
    /// The next watched folder that is due; nil when none is. People take turns, and of one person's folders the one
    /// comes that is due for the longest time. One whose files are on their way waits for them. Those whose place is
    /// not their owner's any more are stopped.
    /// - Parameter others: users of whom a folder is looked at now.
    func nextWatch(besides others: Set<User.ID>) async throws -> DriveWatch?
    /// All that is remembered of a folder's files.
    func watchedFiles(of id: DriveWatch.ID) async throws -> [WatchedFile]
    /// Writes what a look found and begins the transfer, in one transaction. Throws `conflict` for a folder that is not
    /// watched any more, or was changed since `watch` was read. Earlier failures count on while something is left for
    /// which the store has to be asked: a list alone does not tell that its files can be read or moved.
    func noteLook(_ findings: WatchFindings, of watch: DriveWatch) async throws -> WatchNote
    /// Whether filed files may be moved or marked now: the watch is on, was not changed since `watch` was read, and its
    /// place is its owner's.
    func mayPutAway(_ watch: DriveWatch) async throws -> Bool
    /// Notes that files could be moved or marked, which ends the failures in a row.
    func noteWorking(_ watch: DriveWatch) async throws
    /// Notes that a look failed. The next one comes after the usual time, or after `WatchPace.pause` where that is
    /// longer. Harmless for a folder that is not watched any more.
    func noteFailedLook(_ problem: DriveProblem, _ detail: String?, of id: DriveWatch.ID) async throws
    /// Notes, before the store is asked, the name that a filed file is given as a mark.
    func noteMarking(_ name: String, as target: String, of id: DriveWatch.ID) async throws
    /// Notes that a filed file was moved or marked.
    /// - Parameter marked: its new name, its content as the store tells it now, and whether that is surely what was
    ///   filed: else it is read again; nil for one that left the folder.
    func notePutAway(
        _ name: String, marked: (name: String, content: String, isSame: Bool)?, of id: DriveWatch.ID
    ) async throws
    /// Notes that a filed file could not be moved or marked: after `WatchedFile.maxAttempts` it stays where it is.
    func noteUnmoved(_ name: String, _ problem: DriveProblem, of id: DriveWatch.ID) async throws
}
