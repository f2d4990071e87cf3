/// What a plan needs of the three trees: what is not the same everywhere as it was when both sides were in step last,
/// the folders above that, and what has a name that could be in its way.
struct ComparedTrees: Sendable {
    var base: [BaseRow] = []
    var local = LocalTree()
    var remote = RemoteTree()
    /// Files that are in step and not among `base`.
    var unchangedFiles = 0
    /// New things that were left out, since there are enough to do for now. Another look finds them.
    var deferred = 0
    /// Of the files on the server among them, and of those here.
    var deferredBytes: Int64 = 0
    /// New things that were left out because they failed before.
    var skipped = 0
}

/// By which a thing is known from one look to the next.
enum SyncIdentity: Sendable, Hashable {
    case local(inode: UInt64)
    case remote(RemoteKey)
}

/// How much a comparison gives.
struct ComparisonOptions: Sendable {
    var direction = SyncDirection.both
    /// What lies at the top are funds.
    var topIsFunds = true
    /// New things, at most. What had been in step and is not any more is never left out.
    var maxNew = Int.max
    /// New things that are left out.
    var skipped: Set<SyncIdentity> = []
    /// Leaves nothing out, not even what is in step.
    var isWhole = false
}
