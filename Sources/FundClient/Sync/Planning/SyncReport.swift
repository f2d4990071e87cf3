/// What a synchronization did, or would do.
public struct SyncAction: Sendable, Hashable {
    /// What was done.
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

    /// What was done.
    public var verb: Verb
    /// In the kept folder, with `/` between names.
    public var path: String
    /// What it is called now, where it was renamed or moved.
    public var newPath: String?
    /// Of the file that was sent or loaded.
    public var bytes: Int64?
}

/// What happens while a folder is brought in step.
public enum SyncEvent: Sendable, Hashable {
    /// Looks at both sides.
    case looking
    /// The server goes on from an earlier state, as from a backup: nothing is deleted. What only one side has comes to
    /// the other, and where both differ both versions are kept.
    case otherHistory
    /// So many things are to be done, with so many bytes to load and to send.
    case planned(operations: Int, bytes: Int64)
    case done(SyncAction)
    /// Bytes of a file that is under way.
    case progress(path: String, bytes: Int64, of: Int64)
    /// Something is left alone, or failed, and why.
    case problem(path: String, reason: String)
}

/// How a synchronization ended.
public struct SyncSummary: Sendable, Hashable {
    /// How often each was done.
    public var counts: [SyncAction.Verb: Int] = [:]
    /// Loaded and sent.
    public var bytes: Int64 = 0
    /// What is left alone, or failed, by its path.
    public var problems: [String: String] = [:]
    /// Deletes that wait for a yes: of files here.
    public var heldDeletesHere = 0
    /// Of files on the server.
    public var heldDeletesThere = 0
    /// How many files were in step.
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
