/// Something that an administrator did at the desk.
package struct DeskAct: Sendable, Hashable {
    package typealias ID = FundCore.ID<DeskAct>

    /// Raw values stand in the database and in JSON.
    package enum Kind: String, Sendable, CaseIterable {
        case assign, retry, reject, later
        /// The cause was put right, and the messages were routed anew: the sender's address became a user's, their tag
        /// a fund of theirs, or the sender was enabled.
        case register, create, enable
    }

    /// The fund, user or name that an act is about, beside its messages.
    package struct Subject: Sendable, Hashable {
        /// The fund of `assign`.
        package var fund: Fund.ID?
        /// The user of `register`, `create` and `enable`.
        package var user: User.ID?
        /// The address of `register`, the tag of `create`.
        package var name: String?

        package init(fund: Fund.ID? = nil, user: User.ID? = nil, name: String? = nil) {
            (self.fund, self.user, self.name) = (fund, user, name)
        }
    }

    package var id: ID
    package var at: Timestamp
    package var actor: String
    package var kind: Kind
    /// The name of the fund of `assign` and `create`, the address of `register`.
    package var name: String?
    /// The address of the fund's owner, or of the user of `register` and `enable`.
    package var owner: String?
    /// The number of messages of the act, and the number for which it still holds.
    package var count: Int
    package var standing: Int
    /// True while the act has something to undo: messages, rules learnt, or the cause that it put right.
    package var canUndo: Bool
    /// Addresses and aliases that were learnt by it, taken back or not.
    package var learnt: [String]
    /// Time at which the last of the act was undone.
    package var undoneAt: Timestamp?
    package var undoneBy: String?

    /// True when other messages may find their way because of the act.
    package var opensWays: Bool { !learnt.isEmpty || kind == .create || kind == .enable }

    package init(
        id: ID, at: Timestamp, actor: String, kind: Kind, name: String?, owner: String?, count: Int, standing: Int,
        canUndo: Bool, learnt: [String], undoneAt: Timestamp?, undoneBy: String?
    ) {
        self.id = id
        self.at = at
        self.actor = actor
        self.kind = kind
        self.name = name
        self.owner = owner
        self.count = count
        self.standing = standing
        self.canUndo = canUndo
        self.learnt = learnt
        self.undoneAt = undoneAt
        self.undoneBy = undoneBy
    }
}
