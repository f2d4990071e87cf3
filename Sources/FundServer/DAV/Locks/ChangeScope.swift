internal import FundCore

/// A part of the library within which one request after the other makes its change. People who have no fund in common
/// have no scope in common, and never wait for each other.
enum ChangeScope: Hashable, Comparable, Sendable {
    /// The list of a person's funds, which is the root of their paths: names of funds come, change and go in it.
    case root(User.ID)
    /// A fund with all that is in it, whichever of its members asks.
    case fund(Fund.ID)
}
