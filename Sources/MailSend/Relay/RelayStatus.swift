package import FundCore

/// The state of the relay of this process, and the results of letters since the process started.
package struct RelayStatus: Sendable, Hashable {
    /// Whether letters go out.
    package enum Condition: Sendable, Hashable {
        /// No server is configured, or the relay does not run.
        case off
        /// Another process is the relay.
        case standby
        /// Letters go out when they are due.
        case ready
        /// No letter can be handed over now. The words are for people: why, and what to do.
        case paused(words: String, until: Timestamp)
    }

    package var condition = Condition.off
    package var results: [OutboxResult.Kind: Int] = [:]
    /// Pauses since the process started.
    package var pauses = 0
    /// Largest message that the server took at the last connection, in bytes; nil where it did not say, and before.
    package var maxMessageBytes: Int?

    package init() {}

    /// The reason why no letter can be handed over now; nil when there is none.
    package var problem: String? {
        if case .paused(let words, _) = condition { words } else { nil }
    }
}

/// Something that happens in the relay.
package enum RelayEvent: Sendable, Hashable {
    case letter(OutboxLetter, OutboxResult)
    /// No letter can be handed over now.
    ///
    /// - Parameter isKnown: the pause before had the same reason.
    case paused(words: String, pause: Duration, isKnown: Bool)
    /// Letters go out again.
    case resumed
    /// The letters that time makes due could not be queued. The words are for people.
    case notQueued(words: String)
}
