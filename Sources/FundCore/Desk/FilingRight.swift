/// The right by which a kept message is filed. It is asked again in the transaction that files it.
package enum FilingRight: Sendable, Hashable {
    /// The right of an administrator, or of the command line.
    /// - Parameter ofWaiting: whether mail that was put aside is refused, since who files it saw it wait.
    case administrator(String, ofWaiting: Bool = false)
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
