/// The place of an email.
package struct FiledPlace: Sendable, Hashable {
    package var email: EmailSummary.ID
    /// The owner's address.
    package var user: String
    /// The name of the fund.
    package var fund: String

    package init(email: EmailSummary.ID, user: String, fund: String) {
        (self.email, self.user, self.fund) = (email, user, fund)
    }
}

/// The durable result for one message.
package struct StoredMessage: Sendable {
    package var message: RoutedMessage
    /// The decision's outcome, or `duplicate`.
    package var outcome: Outcome
    package var reason: Reason?
    /// The email that holds it; for a duplicate of a filed message, the first one.
    package var emailID: EmailSummary.ID?
    /// The entry in the misrouted report; for a duplicate of a kept message, the first one's.
    package var misrouteID: MisrouteRecord.ID?
    /// The place of the copy that a duplicate repeats; for a message that is filed or kept now, of one that an
    /// administrator filed by hand for another owner. Nil when there is none, or it was not filed.
    package var copy: FiledPlace?

    package init(
        message: RoutedMessage, outcome: Outcome, reason: Reason?, emailID: EmailSummary.ID?,
        misrouteID: MisrouteRecord.ID?, copy: FiledPlace? = nil
    ) {
        self.message = message
        self.outcome = outcome
        self.reason = reason
        self.emailID = emailID
        self.misrouteID = misrouteID
        self.copy = copy
    }

    /// It, or for a duplicate what it repeats, is in a fund. Else it is kept for the misrouted report.
    package var isFiled: Bool {
        switch outcome {
        case .filed: true
        case .duplicate: emailID != nil || misrouteID == nil
        case .misrouted, .rejected: false
        }
    }
}
