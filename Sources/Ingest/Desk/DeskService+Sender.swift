package import FundCore

extension DeskService {
    private static let operation = "file a mail of one's own"

    /// Files a person's own mail, which waits for a fund alone, into the fund of theirs that they meant: an act like
    /// those of administrators, who undo it as one of theirs. Nothing is learnt.
    ///
    /// Throws `notFound` for the mail or the fund of another and for a fund that is gone, `alreadyResolved` for mail
    /// that waits no more, and `conflict` for mail that waits for more than a fund: that may be forged.
    package func fileOwn(
        _ message: MisrouteRecord.ID, into fund: Fund.ID, of user: User
    ) async throws -> StoredMessage {
        let record = try await store.misroute(message)
        guard record.user == user.id else {
            throw StoreError(.notFound, Self.operation, "there is no such mail of theirs")
        }
        guard record.resolution == nil else { throw Self.settled }
        // By the rules of now: an address may have been taken from them since, or the trust policy changed.
        let decision = try await refiling.rehearse(message)
        guard record.isForSender, decision.user?.id == user.id, !decision.isUnverified,
            decision.outcome == .filed || decision.reason?.isAboutFund == true
        else { throw StoreError(.conflict, Self.operation, "it waits for an administrator, not for a fund alone") }
        let target = try await store.fund(fund).fund
        guard target.owner == user.id else { throw StoreError(.notFound, Self.operation, "there is no such fund") }
        let act = try await store.begin(.assign, about: .init(fund: fund), actor: user.email)
        let right = FilingRight.sender(user.id, email: user.email)
        do {
            return try await refiling.assign(message, to: target, of: user, in: act, by: right)
        } catch let failure as StoreError where failure.code == .alreadyResolved {
            try? await store.discard(act)
            // Its words may name a fund of another person.
            throw Self.settled
        } catch {
            try? await store.discard(act)  // an act without a step is not listed
            throw error
        }
    }

    private static let settled = StoreError(.alreadyResolved, operation, "it does not wait any more")
}
