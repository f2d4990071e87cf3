internal import MailConnection
internal import FundCore

/// Listing the mailbox, and planning what is to be fetched.
extension IMAPFetching {
    func list(on session: IMAPSession) throws(ConnectionError) {
        guard let state else { return }
        let first = listing == .newer ? highestListed?.next ?? .first : .first
        var found: [UID: IMAPListing.Entry] = [:]
        let ofUse = IMAPListing.flagsOfUse(access)
        // `n:*` names the last message even when it is older (RFC 3501 §6.4.8).
        func note(_ fetch: IMAPFetch) {
            guard let uid = fetch.uid, uid >= first else { return }
            found[uid, default: IMAPListing.Entry(uid: uid)].note(fetch, ofUse: ofUse)
        }
        accounted = session.exists
        let underWay = listingUnderWay.take()
        let withSizes = listsSizes
        // Until the listing is done. QUIRK: Dovecot ends the connection instead when it cannot open one message.
        listsSizes = false
        let tag = underWay?.tag ?? session.submit(IMAPListing.command(from: first, withSizes: withSizes))
        session.expect(UInt64(state.exists) * 100, of: tag)
        underWay?.early.forEach(note)
        listen: while true {
            let event = try session.next()
            switch event {
            case .fetch(let fetch):
                note(fetch)
                guard found.count <= IMAPSession.maxMessages else {
                    throw ConnectionError(.protocolViolation, during: "UID FETCH", "a mailbox without end")
                }
            case .tagged(tag, let status):
                // QUIRK: some servers refuse a range of an empty mailbox.
                if session.exists > 0 {
                    if withSizes, status.kind != .ok { return try list(on: session) }
                    _ = try IMAPSession.checked(status, during: "UID FETCH")
                }
                listsSizes = withSizes
                break listen
            default: try take(event)
            }
        }
        let isWhole = first == .first
        let listing = IMAPListing(
            entries: found.values.sorted { $0.uid < $1.uid }, isWhole: isWhole, epoch: state.epoch)
        let plan = try listing.plan(access, ledger: services.ledger) { canDo($0, in: state) }
        if !plan.fetch.isEmpty { services.onComingMail() }
        flight.queue.fill(plan.fetch)
        for (after, uids) in plan.acknowledge { acknowledging.add(uids, after, isRepeated: true) }
        refused.formUnion(plan.fetch.lazy.filter(\.isHeaderOnly).map(\.uid))
        noteWaiting(plan.fetch.lazy.map(\.uid), isAll: isWhole)
        highestListed = [highestListed, found.keys.max()].compactMap(\.self).max()
        self.listing = .done
    }
}
