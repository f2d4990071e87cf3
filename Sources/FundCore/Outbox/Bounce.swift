/// One attempt to hand a letter to a server.
package struct OutboxAttempt: Sendable, Hashable {
    package var letter: OutboxLetter.ID
    /// Its place among all attempts of the letter, from 1; see `OutboxLetter.attempts`.
    package var number: Int

    package init(letter: OutboxLetter.ID, number: Int) { (self.letter, self.number) = (letter, number) }
}

/// A report about a letter that a person wrote, which came back to us. It is recognised by the mark in the address to
/// which it was sent.
package struct Bounce: Sendable, Hashable {
    /// The finding of the report.
    package enum Finding: String, Sendable, Hashable {
        /// It did not arrive, and no server tries it again.
        case failed
        /// A server on its way goes on trying.
        case delayed
        /// Neither: it arrived, or the report tells of no trouble.
        case other
    }

    /// The attempt that it is about: a letter may have been sent again since.
    package var attempt: OutboxAttempt
    package var finding: Finding
    /// The code of the failure (RFC 3463); nil where the report has none.
    package var status: String?
    /// The reason in one line; hostile.
    package var reason: String

    package var letter: OutboxLetter.ID { attempt.letter }

    package init(attempt: OutboxAttempt, finding: Finding, status: String?, reason: String) {
        self.attempt = attempt
        self.finding = finding
        self.status = status
        self.reason = reason
    }
}
