/// The kept messages that a report is about.
package struct MisrouteFilter: Sendable, Hashable {
    /// Empty means all.
    package var reasons: Set<Reason> = []
    /// Both misrouted and rejected mail is kept here.
    package var outcomes: Set<Outcome> = [.misrouted, .rejected]
    /// Seconds since 1970; only what came then or later.
    package var since: Timestamp?
    package var includesResolved = false
    /// A message with whose cause all others must agree.
    package var like: MisrouteRecord.ID?
    /// The last message; later ones are left out.
    package var upTo: MisrouteRecord.ID?
    /// The mailbox to which messages must have come.
    package var mailbox: String?
    package var attention = Attention.any
    /// Text that must stand in subject, sender or tag; ASCII letters of either case.
    package var words: String?

    /// The time at which administrators want to see a message.
    package enum Attention: String, Sendable, CaseIterable {
        case any, waiting, later
    }

    package init() {}
}
