/// The end of an attempt to send a letter. The notes are for people, in English: the reply of the server, or a reason.
package enum OutboxResult: Sendable, Hashable {
    case sent(String)
    /// The server did not take it for now. It is tried again at the next step of `OutboxPace`, and has failed after the
    /// last.
    case deferred(String)
    case failed(String)
    case uncertain(String)
    /// Its mail is gone, so that nothing is left to say.
    case dropped(String)
    /// No letter reaches the server now: the connection, the encryption or the login failed. It is no attempt, and the
    /// letter waits as before, at least until then.
    case postponed(String, until: Timestamp)

    /// The results without their notes. The raw values stand in metrics.
    package enum Kind: String, Sendable, CaseIterable {
        case sent, deferred, failed, uncertain, dropped, postponed
    }

    package var kind: Kind {
        switch self {
        case .sent: .sent
        case .deferred: .deferred
        case .failed: .failed
        case .uncertain: .uncertain
        case .dropped: .dropped
        case .postponed: .postponed
        }
    }
}
