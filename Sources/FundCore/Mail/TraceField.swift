/// Fields that mail servers write on top of a message, in the order in which they stand, from the top. Only these two
/// kinds: they decide together whether an `Authentication-Results` field was written by a server that we trust.
package enum TraceField: Sendable, Hashable {
    /// `Received` (RFC 5321 §4.4), unfolded.
    case received(String)
    /// `Authentication-Results` (RFC 8601 §2), unfolded.
    case authenticationResults(String)
}
