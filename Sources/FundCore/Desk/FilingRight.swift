/// The right by which a kept message is filed. It is asked again in the transaction that files it.
package enum FilingRight: Sendable, Hashable {
    /// The right of an administrator, or of the command line.
    /// - Parameter evenPutAside: whether mail that was put aside is filed, too. A page shows mail that waits, and
    ///   another administrator may put it aside meanwhile.
    case administrator(String, evenPutAside: Bool = false)
    /// The right of the sender, with their naming address: to file their own proven mail, which waits for a fund alone,
    /// into a fund of theirs.
    case sender(User.ID, email: String)

    /// The name of who acts, for the audit trail.
    package var actor: String {
        switch self {
        case .administrator(let actor, _): actor
        case .sender(_, let email): email
        }
    }
}
