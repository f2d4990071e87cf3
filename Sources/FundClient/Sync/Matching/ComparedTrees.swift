/// The parts of the three trees that a plan needs: all that differs from when both sides were in step last,
/// the folders above that, and what has a name that could be in its way.
struct ComparedTrees: Sendable {
    var base: [BaseRow] = []
    var local = LocalTree()
    var remote = RemoteTree()
    /// Files that are in step and not among `base`.
    var unchangedFiles = 0
    /// New things that were left out, since there are enough to do for now. Another look finds them.
    var deferred = 0
    /// Bytes of the deferred files on both sides.
    var deferredBytes: Int64 = 0
    /// New things that were left out because they failed before.
    var skipped = 0
}

/// Identity of a thing from one look to the next.
enum SyncIdentity: Sendable, Hashable {
    case local(inode: UInt64)
    case remote(RemoteKey)
}

/// Settings of a comparison.
struct ComparisonOptions: Sendable {
    var direction = SyncDirection.both
    /// The folders at the top are funds.
    var topIsFunds = true
    /// New things, at most. What had been in step and is not any more is never left out.
    var maxNew = Int.max
    /// New things that are left out.
    var skipped: Set<SyncIdentity> = []
    /// Leaves nothing out, not even what is in step.
    var isWhole = false
}
