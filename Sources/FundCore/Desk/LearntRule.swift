/// A rule that was learnt at the desk.
package struct LearntRule: Sendable, Hashable {
    package typealias ID = FundCore.ID<LearntRule>

    package var id: ID
    package var rule: DeskRule
    /// The user's address, or that of the fund's owner.
    package var owner: String
    /// Name of the fund of an alias.
    package var fund: String?
    /// The message from which it was learnt.
    package var message: MisrouteRecord.ID
    package var at: Timestamp
    package var actor: String
    /// Number of messages that it has led to their fund since.
    package var hits: Int
    package var lastHitAt: Timestamp?
    package var takenBackAt: Timestamp?
    package var takenBackBy: String?

    package init(
        id: ID, rule: DeskRule, owner: String, fund: String?, message: MisrouteRecord.ID, at: Timestamp, actor: String,
        hits: Int, lastHitAt: Timestamp?, takenBackAt: Timestamp?, takenBackBy: String?
    ) {
        self.id = id
        self.rule = rule
        self.owner = owner
        self.fund = fund
        self.message = message
        self.at = at
        self.actor = actor
        self.hits = hits
        self.lastHitAt = lastHitAt
        self.takenBackAt = takenBackAt
        self.takenBackBy = takenBackBy
    }
}
