/// Limits of the letters that are queued. A letter that a limit holds back is counted in the outbox, and not sent.
package struct OutboxLimits: Sendable, Hashable {
    /// Letters to one recipient within a day. People file a few mails a day; a program that sends under their address
    /// is not to fill their mailbox.
    package var perDay: Int
    /// Letters to all recipients within an hour. Mail providers take about as many from one sender, and a mistake sends
    /// no more in a night.
    package var perHour: Int
    /// Digests at once to one person within a day; the next ones come once an hour. A day has fewer occasions on which
    /// a person looks.
    package var digestsAtOncePerDay = 40

    package static let usual = OutboxLimits()

    package init(perDay: Int = 20, perHour: Int = 500) { (self.perDay, self.perHour) = (perDay, perHour) }
}
