/// The misrouted desk: what waits for an administrator, what was done about it, and how that is undone. Errors are
/// `StoreError`; `alreadyResolved` and `conflict` name the administrator who was first.
package protocol Desk: Sendable {
    // MARK: What waits

    /// What the filter admits and is open, by cause; the cause whose oldest message has waited longest first.
    func causes(_ filter: MisrouteFilter, _ page: PageQuery) async throws -> Page<CauseRecord>
    /// - Parameter dayStart: when today began.
    func deskCounts(since dayStart: Timestamp) async throws -> DeskCounts
    /// Another value than before when the desk may show something else; not when time alone brings back what was put
    /// off.
    func deskVersion() async throws -> DeskVersion
    /// What earlier mail and the register of people say about where a kept message belongs.
    func evidence(_ question: EvidenceQuestion) async throws -> Evidence
    /// Notes in the audit trail that its body was read.
    func noteOpened(_ id: MisrouteRecord.ID, actor: String) async throws

    // MARK: Acts

    /// One act of a person, about any number of messages. It shows once it has a step.
    func begin(_ kind: DeskAct.Kind, about subject: DeskAct.Subject, actor: String) async throws -> DeskAct.ID
    /// Puts a message aside; the raw message stays. Throws `alreadyResolved`.
    func reject(_ id: MisrouteRecord.ID, note: String, in act: DeskAct.ID, actor: String) async throws
    /// Shows a message again at that time only; nil shows it now. Throws `alreadyResolved`.
    func putOff(_ id: MisrouteRecord.ID, until: Timestamp?, in act: DeskAct.ID, actor: String) async throws
    /// Registers an address or an alias, and notes from which message. False when it was registered already; throws
    /// `alreadyExists` when another has it.
    func learn(_ lesson: Lesson, from id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String) async throws -> Bool
    /// Makes a fund of that name because a message names it. False when the name leads to a fund of this owner already;
    /// throws `invalid` for a name that no tag can carry, and `conflict` for an actor who is no administrator any more.
    func createFund(
        _ name: String, of owner: User.ID, from id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String
    ) async throws -> Bool
    /// Notes that the rules of now, which the act made, say something else of a message that waits all the same.
    func noteRerouted(_ id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String) async throws
    /// Lets a disabled user send again. False when they are not disabled; throws `conflict` as `createFund`.
    func enable(_ user: User.ID, from id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String) async throws -> Bool
    /// Newest first, with what is undone.
    func acts(since: Timestamp, _ page: PageQuery) async throws -> Page<DeskAct>
    /// Throws `notFound`.
    func act(_ id: DeskAct.ID) async throws -> DeskAct
    /// What is left of it to undo, latest first.
    func steps(of act: DeskAct.ID) async throws -> [DeskStep]
    /// Does the opposite of a step: the files of a filed message go to the trash and the message waits again with its
    /// age, what was learnt is forgotten, a fund that was made goes to the trash, who was enabled is disabled. Throws
    /// `conflict` when the result was gone on with, or undone, and when the actor is no administrator any more.
    /// - Returns: the owner of files that cannot be restored, for whom `purgeWithdrawn` is to be called.
    func undo(_ step: DeskStep.ID, actor: String) async throws -> User.ID?
    /// Removes the files that were taken from a user who should never have had them. One that is missed is made up for
    /// by the next purge.
    func purgeWithdrawn(from user: User.ID, actor: String) async throws

    // MARK: What was learnt

    /// Newest first, with what was taken back.
    func learnt(_ page: PageQuery) async throws -> Page<Learnt>
    /// Throws `notFound`.
    func learnt(_ id: Learnt.ID) async throws -> Learnt
    /// Throws `conflict` when it was taken back already.
    func takeBack(_ id: Learnt.ID, actor: String) async throws
}

/// Open messages that one act puts right.
package struct CauseRecord: Sendable, Hashable {
    /// The oldest of them. Its number names the cause, see `MisrouteFilter.like`.
    package var first: MisrouteRecord
    package var count: Int

    package init(first: MisrouteRecord, count: Int) {
        self.first = first
        self.count = count
    }
}

/// Numbers of kept messages.
package struct DeskCounts: Sendable, Hashable {
    package var waiting = 0
    /// Put off until later.
    package var later = 0
    /// Since the day began.
    package var filedByRule = 0
    package var filedByHand = 0
    package var putAside = 0

    package init() {}
}

/// At which point of its history the desk is.
package struct DeskVersion: Sendable, Hashable {
    package var lastMessage: Int64
    package var lastStep: Int64
    package var openCount: Int

    package init(lastMessage: Int64, lastStep: Int64, openCount: Int) {
        self.lastMessage = lastMessage
        self.lastStep = lastStep
        self.openCount = openCount
    }
}

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

    /// About what it is beside messages.
    package struct Subject: Sendable, Hashable {
        /// Of `assign`.
        package var fund: Fund.ID?
        /// Of `register`, `create` and `enable`.
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
    /// About how many messages, and about how many it still holds.
    package var count: Int
    package var standing: Int
    /// Whether something of it is left to undo: messages, or what was learnt or put right.
    package var canUndo: Bool
    /// Addresses and aliases that were learnt by it, taken back or not.
    package var learnt: [String]
    /// When the last of it was undone.
    package var undoneAt: Timestamp?
    package var undoneBy: String?

    /// Whether other messages may find their way because of it.
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

/// What an act did to one message, or learnt from it.
package struct DeskStep: Sendable, Hashable {
    package typealias ID = FundCore.ID<DeskStep>

    package var id: ID
    package var message: MisrouteRecord.ID
    package var about: About

    /// What a step is about.
    package enum About: Sendable, Hashable {
        /// The message: it was filed, put aside or put off.
        case message
        /// What was learnt from the message, or put right because of it.
        case remedy
        /// By what was put right the message waits for another cause.
        case rerouting
    }

    package init(id: ID, message: MisrouteRecord.ID, about: About) {
        self.id = id
        self.message = message
        self.about = about
    }
}

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

/// By what is asked where a kept message belongs.
package struct EvidenceQuestion: Sendable, Hashable {
    /// The first `From` address.
    package var sender: String?
    /// Message-IDs that it answers or refers to, without angle brackets.
    package var references: [String]
    /// Whose mail it is, when that is known.
    package var user: User.ID?

    package init(sender: String?, user: User.ID?, references: [String]) {
        self.sender = sender
        self.user = user
        self.references = references
    }
}

/// Only what is not deleted, in funds that are not archived.
package struct Evidence: Sendable, Hashable {
    /// How many mails from this sender each fund holds.
    package var mailsBySender: [Fund.ID: Int] = [:]
    /// Funds that hold a mail to which this one refers.
    package var threads: Set<Fund.ID> = []
    /// How many addresses in the sender's domain each user has.
    package var addressesInDomain: [User.ID: Int] = [:]
    /// When mail last came into each of the funds of those users and of the above.
    package var lastMail: [Fund.ID: Timestamp] = [:]

    package init() {}
}
