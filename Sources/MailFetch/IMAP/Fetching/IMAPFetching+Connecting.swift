internal import MailConnection
internal import FundCore

/// From one connection to the next: what is selected, resumed, and given up.
extension IMAPFetching {
    func begin(on channel: CurlChannel) throws(ConnectionError) -> IMAPSession {
        let session = IMAPSession(channel: channel, deadlines: access.deadlines, transcript: access.transcript)
        session.sink = spooling
        session.runEnd = connection.runEnd
        // The first connection of a source begins with a listing, which need not wait for the SELECT.
        let listsAll = listing == .all && !connection.hasConnected
        let (state, companion) = try session.select(
            access.address.mailbox, examining: access.afters == [.keep],
            with: listsAll ? IMAPListing.command(from: .first, withSizes: listsSizes) : nil)
        enter(state)
        // Messages that stay in a mailbox are mostly known; otherwise all of them are to be fetched.
        if listing == .all, state.exists > 0, !access.afters.contains(where: \.leavesMessage) {
            services.onComingMail()
        }
        listingUnderWay = companion
        return session
    }

    private func enter(_ new: IMAPMailboxState) {
        noteEpoch(new.epoch)
        state = new
        // Messages that came and went without a connection show only in UIDNEXT.
        let isUnchanged = new.uidNext != nil && new.uidNext == (highestListed.map(\.next) ?? .first)
        accounted = isUnchanged ? new.exists : 0
        if !didTellReadOnly, access.afters.contains(where: { !canDo($0, in: new) }) {
            didTellReadOnly = true
            services.onNotice(.readOnly)
        }
    }

    /// The UIDs of another UIDVALIDITY name other messages: what was known by UID is dropped.
    private func noteEpoch(_ epoch: UIDValidity) {
        guard let old = state?.epoch, old != epoch else { return }
        services.onNotice(.epochChanged)
        flight.forget()
        acknowledging.forget()
        (refused, missed, missedQuestions) = ([], [], 0)
        forgetPartial()
        listing = .all
        (highestListed, accounted) = (nil, 0)
    }

    func canDo(_ after: MailboxAccess.After, in state: IMAPMailboxState) -> Bool {
        switch after {
        case .keep: true
        case .flag(let flag): state.canSet(flag)
        case .delete, .move: state.canSet("\\Deleted")
        }
    }

    /// Puts back what was asked for and did not come, to be asked for alone where the connection was lost at it.
    func connectionLost(isBlamed: Bool) {
        listingUnderWay = nil
        spooling.connectionLost()
        acknowledging.connectionLost()
        let (excess, slow) = (spooling.excess.take(), spooling.slow.take())
        var back = flight.connectionLost()
        defer { flight.queue.putBack(back) }
        guard !back.isEmpty else { return }
        if let slow { return leaveForLater(slow, &back) }
        let uid = spooling.partial?.uid ?? excess?.uid
        let suspect = uid.flatMap { uid in back.firstIndex { $0.uid == uid } } ?? 0
        // A piece more of a large message is progress.
        if let received = spooling.partial?.received, received > partialBytes {
            (partialBytes, connection.fruitless) = (received, 0)
        } else if isBlamed {
            back[suspect].attempts += 1
        }
        let isHopeless = back[suspect].attempts >= FetchPatience.maxAttempts
        let isTooLarge = !back[suspect].isHeaderOnly && excess != nil && (isHopeless || excess?.uid != nil)
        guard isHopeless || isTooLarge else { return }
        let entry = back.remove(at: suspect)
        poisonous += 1
        if poisonous <= FetchPatience.maxPoisonous { connection.fruitless = 0 }
        forgetPartial()
        if let size = excess?.bytes, isTooLarge {
            refuse(entry, size: size)
        } else {
            fail(entry, "the connection ends each time this message is fetched")
        }
    }

    /// A message took all the time that one may take. Larger ones than what came of it are left for the next run, too.
    private func leaveForLater(_ slow: BodySpooling.UnfinishedMessage, _ back: inout [IMAPQueue.Entry]) {
        forgetPartial()
        connection.fruitless = 0
        var left = [back.remove(at: back.firstIndex { $0.uid == slow.uid } ?? 0)]
        let isTooLarge = { (entry: IMAPQueue.Entry) in !entry.isHeaderOnly && entry.size ?? 0 > slow.bytes }
        left += back.filter(isTooLarge)
        back.removeAll(where: isTooLarge)
        left += flight.queue.remove(where: isTooLarge)
        for entry in left { fail(entry, FetchPatience.tooSlow(slow.bytes)) }
    }
}
