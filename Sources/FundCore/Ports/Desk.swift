/// The misrouted desk: what waits for an administrator, what was done about it, and how that is undone. Errors are
/// `StoreError`; `alreadyResolved` and `conflict` name the administrator who was first.
package protocol Desk: Sendable {
    // MARK: What waits

    /// Open messages that the filter admits, by cause; the cause whose oldest message has waited longest first.
    func causes(_ filter: MisrouteFilter, _ page: PageQuery) async throws -> ListPage<CauseRecord>
    /// - Parameter dayStart: when today began.
    func deskCounts(since dayStart: Timestamp) async throws -> DeskCounts
    /// Another value than before when the desk may show something else; not when time alone brings back what was put
    /// off.
    func deskVersion() async throws -> DeskVersion
    /// Evidence of earlier mail and of the register of people about the fund of a kept message.
    func evidence(_ question: EvidenceQuestion) async throws -> Evidence
    /// Notes in the audit trail that its body was read.
    /// - Parameter fileCount: the number of files that the message brings, for a row that lacks it; nil when it was not
    ///   read.
    func noteOpened(_ id: MisrouteRecord.ID, fileCount: Int?, actor: String) async throws

    // MARK: Acts

    /// One act of a person, about any number of messages. It shows once it has a step.
    func begin(_ kind: DeskAct.Kind, about subject: DeskAct.Subject, actor: String) async throws -> DeskAct.ID
    /// Deletes an act that came to nothing: one with a step stays.
    func discard(_ act: DeskAct.ID) async throws
    /// Puts a message aside; the raw message stays. Throws `alreadyResolved`.
    func reject(_ id: MisrouteRecord.ID, note: String, in act: DeskAct.ID, actor: String) async throws
    /// Shows a message again at that time only; nil shows it now. Throws `alreadyResolved`.
    func putOff(_ id: MisrouteRecord.ID, until: Timestamp?, in act: DeskAct.ID, actor: String) async throws
    /// Registers an address or an alias, and notes from which message. False when it was registered already; throws
    /// `alreadyExists` when another has it.
    func learn(_ rule: DeskRule, from id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String) async throws -> Bool
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
    func acts(since: Timestamp, _ page: PageQuery) async throws -> ListPage<DeskAct>
    /// Throws `notFound`.
    func act(_ id: DeskAct.ID) async throws -> DeskAct
    /// The latest act about a message that still holds; nil where none does.
    func lastAct(about message: MisrouteRecord.ID) async throws -> DeskAct.ID?
    /// Steps of an act that can be undone, latest first.
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
    func learnt(_ page: PageQuery) async throws -> ListPage<LearntRule>
    /// Throws `notFound`.
    func learnt(_ id: LearntRule.ID) async throws -> LearntRule
    /// Throws `conflict` when it was taken back already.
    func takeBack(_ id: LearntRule.ID, actor: String) async throws
}
