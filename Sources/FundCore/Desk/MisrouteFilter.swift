/// Which kept messages a report is about.
package struct MisrouteFilter: Sendable, Hashable {
    /// Empty means all.
    package var reasons: Set<Reason> = []
    /// Both misrouted and rejected mail is kept here.
    package var outcomes: Set<Outcome> = [.misrouted, .rejected]
    /// Seconds since 1970; only what came then or later.
    package var since: Timestamp?
    package var includesResolved = false
    /// Only what has the same cause as this one.
    package var like: MisrouteRecord.ID?
    /// None that came after this one.
    package var upTo: MisrouteRecord.ID?
    /// Only what came to this mailbox.
    package var mailbox: String?
    package var attention = Attention.any
    /// Only what has this text in its subject, its sender or its tag; ASCII letters of either case.
    package var words: String?

    /// Whether an administrator wants to see it now.
    package enum Attention: String, Sendable, CaseIterable {
        case any, waiting, later
    }

    package init() {}
}
