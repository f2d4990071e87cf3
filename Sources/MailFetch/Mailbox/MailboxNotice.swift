/// What a mailbox source has to tell that is no failure.
package enum MailboxNotice: Sendable, Hashable {
    /// The server wants the user to read this (RFC 3501 §7.1 `ALERT`).
    case alert(String)
    /// The mailbox cannot be changed: messages stay on the server and are remembered here.
    case readOnly
    /// The line dropped; it goes on with a new one.
    case reconnecting(FetchError.Code)
    /// The server numbers its messages anew (RFC 3501 §2.3.1.1): all of them are new ones from here on.
    case epochChanged(from: UIDValidity, to: UIDValidity)
    /// Messages that were listed were gone before they could be fetched.
    case vanished(count: Int)
    /// Filed messages are marked deleted, but to expunge them would remove what others marked too (no UIDPLUS).
    case leftMarkedDeleted(count: Int)
    /// Messages that have another size than the server announced, each time they were asked for: they are taken in, and the server's
    /// copies are left alone.
    case sizeMismatch(count: Int)
    /// The server gives some messages the same identity, or none (RFC 1939 §7): they are fetched each time.
    case ambiguousIdentity(count: Int)
}
