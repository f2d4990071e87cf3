/// What a synchronization did, or would do.
public struct SyncAction: Sendable, Hashable {
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
    /// Deletes that wait for a yes: of files here, and on the server, and how many were in step.
    public var heldDeletesHere = 0
    public var heldDeletesThere = 0
    public var knownFiles = 0
    /// Files that changed a moment ago and wait until they are complete.
    public var isWaiting = false
    /// Both sides are equal, but for what `problems` names.
    public var isInStep = false

    public var heldDeletes: Int { heldDeletesHere + heldDeletesThere }
}
