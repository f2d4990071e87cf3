/// An action of a synchronization, done or planned.
public struct SyncAction: Sendable, Hashable {
    /// Kind of action.
    public enum Verb: String, Sendable, Hashable, Codable {
        case download
        case upload
        /// The server's new bytes came in place of those here.
        case updateHere = "update-here"
        /// The new bytes here went to the server in place of those there.
        case updateThere = "update-there"
        case moveHere = "move-here"
        case moveThere = "move-there"
        case deleteHere = "delete-here"
        case deleteThere = "delete-there"
        case makeFolderHere = "make-folder-here"
        case makeFolderThere = "make-folder-there"
        /// Both sides had changed it: the version here got a name of its own.
        case conflict
    }

    /// Kind of action.
    public var verb: Verb
    /// Path in the kept folder, with `/` between names.
    public var path: String
    /// New path, where it was renamed or moved.
    public var newPath: String?
    /// Size of the file that was sent or loaded.
    public var bytes: Int64?
}

/// Progress of a synchronization.
public enum SyncEvent: Sendable, Hashable {
    /// Looks at both sides.
    case looking
    /// The server goes on from an earlier state, as from a backup: nothing is deleted. What only one side has comes to
    /// the other, and where both differ both versions are kept.
    case otherHistory
    /// Number of operations to be done, and of bytes to load and to send.
    case planned(operations: Int, bytes: Int64)
    case done(SyncAction)
    /// Bytes of a file that is under way.
    case progress(path: String, bytes: Int64, of: Int64)
    /// Something is left alone, or failed, and why.
    case problem(path: String, reason: String)
}

/// Result of a synchronization.
public struct SyncSummary: Sendable, Hashable {
    /// Number of actions of each kind.
    public var counts: [SyncAction.Verb: Int] = [:]
    /// Loaded and sent.
    public var bytes: Int64 = 0
    /// Reasons of things that are left alone or failed, by path.
    public var problems: [String: String] = [:]
    /// Deletes of files here that wait for a yes.
    public var heldDeletesHere = 0
    /// Deletes of files on the server that wait for a yes.
    public var heldDeletesThere = 0
    /// Number of files that were in step.
    public var knownFiles = 0
    /// Files that changed a moment ago and wait until they are complete.
    public var isWaiting = false
    /// The server was found to go on from an earlier state, see `SyncEvent.otherHistory`.
    public var isOtherHistory = false
    /// Both sides are equal, but for what `problems` names.
    public var isInStep = false

    /// Deletes that wait for a yes.
    public var heldDeletes: Int { heldDeletesHere + heldDeletesThere }
}
