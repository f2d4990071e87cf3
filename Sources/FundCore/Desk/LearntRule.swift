/// What an administrator lets mail find its way by.
package enum Lesson: Sendable, Hashable {
    /// Mail from there is the user's.
    case address(String, of: User.ID)
    /// The tag leads to the fund.
    case alias(String, of: Fund.ID)

    /// The address or the alias.
    package var name: String {
        switch self {
        case .address(let name, _), .alias(let name, _): name
        }
    }
}

/// A lesson that was learnt at the desk.
package struct Learnt: Sendable, Hashable {
    package typealias ID = FundCore.ID<Learnt>

    package var id: ID
    package var lesson: Lesson
    /// The user's address, or that of the fund's owner.
    package var owner: String
    /// Of an alias.
    package var fund: String?
    /// From which message.
    package var message: MisrouteRecord.ID
    package var at: Timestamp
    package var actor: String
    /// How many messages it has led to their fund since.
    package var hits: Int
    package var lastHitAt: Timestamp?
    package var takenBackAt: Timestamp?
    package var takenBackBy: String?

    package init(
        id: ID, lesson: Lesson, owner: String, fund: String?, message: MisrouteRecord.ID, at: Timestamp, actor: String,
        hits: Int, lastHitAt: Timestamp?, takenBackAt: Timestamp?, takenBackBy: String?
    ) {
        self.id = id
        self.lesson = lesson
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
