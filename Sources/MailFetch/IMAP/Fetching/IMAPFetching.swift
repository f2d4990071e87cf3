internal import MailConnection
internal import FundCore

/// Fetching from one IMAP mailbox, over as many connections as needed. Used by one thread at a time.
final class IMAPFetching: MailboxFetching {
    enum Listing { case all, newer, done }

    let access: MailboxAccess
    let services: MailboxServices
    let spooling: BodySpooling

    var connection = MailboxConnection<IMAPSession>()
    var state: IMAPMailboxState?
    var flight = IMAPFlight()
    var acknowledging = IMAPAcknowledging()
    /// Recorded by their header only: they stay on the server.
    var refused: Set<UID> = []

    /// Range to list before more is fetched.
    var listing = Listing.all
    /// It was asked for with the SELECT.
    var listingUnderWay: IMAPSession.Companion?
    var highestListed: UID?
    /// Messages that were in the mailbox at the last listing and still are: a larger number means new mail.
    var accounted: UInt32 = 0
    /// Asked for twice, and the server said OK without them.
    var missed: [IMAPQueue.Entry] = []
    /// Over how many connections was asked whether they are there.
    var missedQuestions = 0
    /// Whether sizes are asked for in a listing of this run.
    var listsSizes = true
    /// Listed, and neither filed nor kept here; nil before the first listing.
    private(set) var waiting: Set<UID>?
    private var oldestWaitingAt: Timestamp?

    /// Messages given up since the connection ended each time.
    var poisonous = 0
    var refusals = FetchRefusals()
    /// Bytes of the large message that is being resumed.
    var partialBytes: UInt64 = 0
    var didTellReadOnly = false
    /// `ALERT`s reported in this run.
    var alerts = 0
    var sizeMismatches = 0
    var didPauseBeforeSecondLooks = false
    /// The server offers IDLE and refuses it.
    var isIdleBroken = false

    init(_ access: MailboxAccess, _ services: MailboxServices) {
        self.access = access
        self.services = services
        spooling = BodySpooling(
            spool: services.spool, maxBytes: access.maxMessageBytes, maxTime: access.messageLimit)
    }

    // MARK: What the source does

    func takeReady() -> PendingMessage? { flight.next() }

    func advance(on session: IMAPSession) throws(ConnectionError) -> Bool {
        if listing != .done { try list(on: session) }
        request(from: session)
        if flight.isIdle {
            try settleMissed(on: session)
            if flight.arrivals.hasReady { return true }
            let verdict = refusals.verdict(onMailboxOf: Int(state?.exists ?? 0))
            (listing, poisonous, refusals, alerts) = (.all, 0, FetchRefusals(), 0)
            if let verdict { throw verdict }
            return false
        }
        try take(try session.next())
        return true
    }

    var hasMore: Bool { flight.arrivals.hasReady || connection.session?.hasBufferedBytes ?? false }

    func acknowledge(_ messages: [StoredMessage]) {
        guard let state else { return }
        var uids: [MailboxAccess.After: [UID]] = [:]
        for message in messages {
            guard let place = IMAPPlace(message.message.reference.place), place.epoch == state.epoch else { continue }
            waiting?.remove(place.uid)
            guard !refused.contains(place.uid), !message.message.reference.hasSizeMismatch else { continue }
            uids[access.after(isFiled: message.isFiled), default: []].append(place.uid)
        }
        for (after, uids) in uids where canDo(after, in: state) { acknowledging.add(uids, after) }
    }

    func finish() throws(ConnectionError) {
        let isWhole = flight.isDone && !flight.arrivals.hasReady
        // Messages that were asked for and are not wanted any more come before the answers that are.
        spooling.isDiscarding = true
        defer { (spooling.isDiscarding, listsSizes) = (false, true) }
        flight.arrivals.dropReady()
        tellSizeMismatches()
        let isSaid = try tell(while: { !acknowledging.isSaid }) { session throws(ConnectionError) in
            acknowledging.submit(to: session)
            if !acknowledging.isDone { return try take(try session.next()) }
            settleUncertainCopies()
            if !acknowledging.isDone { return }
            let left = try acknowledging.expungeMarked(on: session, heed)
            if left > 0 { services.onNotice(.leftMarkedDeleted(count: left)) }
            try acknowledging.checkExpunged(on: session, heed)
        }
        // The run was stopped early: messages that were asked for would come before every other answer.
        guard isSaid, isWhole else { return giveUpTheRest() }
        lookUpOldest()
        if let refusal = acknowledging.takeRefusal() { throw refusal }
    }

    private func giveUpTheRest() {
        drop()
        flight.queue.fill([])
        flight.arrivals.dropReady()
        (missed, missedQuestions) = ([], 0)
        forgetPartial()
        listing = .all
    }

    func close() {
        guard let session = connection.session else { return }
        connection.session = nil
        session.hurry(access.deadlines.farewell)
        spooling.isDiscarding = true
        session.sink = spooling
        // Where nothing was changed, the answer does not matter.
        session.logOut(waitsForAnswer: access.afters != [.keep])
        spooling.isDiscarding = false
        spooling.forget()
    }

    // MARK: What waits

    var waitingMail: WaitingMail? { waiting.map { WaitingMail(count: $0.count, oldestAt: oldestWaitingAt) } }

    func noteWaiting(_ uids: some Sequence<UID>, isAll: Bool) {
        waiting = isAll ? Set(uids) : (waiting ?? []).union(uids)
        oldestWaitingAt = nil
    }

    func noteGone(_ uids: some Sequence<UID>) { waiting?.subtract(uids) }

    /// One command, only when something waits. The first UIDs are the oldest messages, nearly always.
    private func lookUpOldest() {
        oldestWaitingAt = nil
        guard let first = UIDSet.texts((waiting ?? []).sorted()).first, !services.cancellation.isCancelled,
            let session = connection.session
        else { return }
        do throws(ConnectionError) {
            try session.run("UID FETCH \(first.text) (UID INTERNALDATE)") { event throws(ConnectionError) in
                if case .fetch(let fetch) = event, let at = fetch.receivedAt,
                    fetch.uid.map(first.uids.contains) ?? false
                {
                    oldestWaitingAt = min(at, oldestWaitingAt ?? at)
                } else {
                    try take(event)
                }
            }
        } catch {
            // Then the time is not known.
            if !error.isRefusal { drop() }
        }
    }
}
