/// An error of a store as the rest of the program sees it, whichever store it is.
package protocol StoreFailure: Error {
    var kind: StoreFailureKind { get }
    /// One sentence without a full stop, for people.
    var detail: String { get }
}

package enum StoreFailureKind: Sendable, Hashable {
    /// There is no such thing, or it is not this user's: nobody can tell which.
    case notFound
    /// The name is taken.
    case alreadyExists
    /// The request makes no sense; `detail` says why.
    case invalid
    /// It was changed by somebody else in between.
    case conflict
    /// The item is not in the state that its change was made to depend on (`ItemCondition`).
    case preconditionFailed
    /// A cursor of a history that is not this store's.
    case outdated
    case outOfSpace
    /// Busy: the same call may succeed later.
    case held
    /// The answer would have taken longer than others can wait: a narrower question may have one.
    case tookTooLong
    /// Rows or files are not what they were when they were written.
    case corrupted
    /// The disk or the database failed otherwise.
    case unavailable
}
