internal import Ingest

/// What is in the mailbox, and what of it is to be done.
struct IMAPListing {
    struct Entry {
        var uid: UInt32
        var size: UInt64
        var flags: [String]

        /// Nil for a response that tells only of a change.
        init?(_ fetch: IMAPFetch) {
            guard let uid = fetch.uid, let size = fetch.size else { return nil }
            (self.uid, self.size, flags) = (uid, size, fetch.flags ?? [])
        }

        func has(_ flag: String) -> Bool { flags.contains { $0.lowercased() == flag.lowercased() } }
    }

    struct Plan {
        var fetch: [IMAPQueue.Entry] = []
        /// Durable here, but the server was not told, or did not take it.
        var acknowledge: [MailboxAccess.After: [UInt32]] = [:]
    }

    /// Ascending by UID.
    var entries: [Entry]
    /// Everything in the mailbox is listed, not only what is new.
    var isWhole: Bool
    var epoch: UInt32

    /// `canDo` says whether the mailbox may be changed in this way.
    func plan(
        _ access: MailboxAccess, ledger: any DeliveryLedger, canDo: (MailboxAccess.After) -> Bool
    ) throws(FetchError) -> Plan {
        let limit = UInt64(max(access.maxMessageBytes, 0))
        // What is deleted on the server is not looked up: if it is still there, it is fetched again and recognised.
        let isRemembering =
            access.afters.contains { $0.leavesMessages || !canDo($0) }
            || entries.contains { $0.size > limit || $0.has("\\Deleted") }
        // What is newer than everything that was listed was never delivered.
        let known = isRemembering && isWhole ? try delivered(access.name, ledger) : [:]
        var plan = Plan()
        for (position, entry) in entries.enumerated() {
            let isTooLarge = entry.size > limit
            if let place = known[entry.uid], isSame(place, entry), !place.isRefusedUnseen || isTooLarge {
                if isTooLarge { continue }
                let after = access.after(isFiled: place.isFiled)
                switch after {
                case _ where !canDo(after), .keep: continue
                case .flag(let flag):
                    if !entry.has(flag) { plan.acknowledge[after, default: []].append(entry.uid) }
                    continue
                case .delete, .move:
                    if entry.has("\\Deleted") {
                        plan.acknowledge[after, default: []].append(entry.uid)
                        continue
                    }
                }
            }
            plan.fetch.append(
                IMAPQueue.Entry(uid: entry.uid, size: entry.size, position: position, isHeaderOnly: isTooLarge))
        }
        return plan
    }

    /// A server that gives a UID twice is caught by the size, most of the time.
    private func isSame(_ place: DeliveredPlace, _ entry: Entry) -> Bool {
        place.announcedBytes.map { $0 == Int64(clamping: entry.size) } ?? true
    }

    private func delivered(_ mailbox: String, _ ledger: any DeliveryLedger) throws(FetchError) -> [UInt32:
        DeliveredPlace]
    {
        do {
            let places = try ledger.deliveredPlaces(in: mailbox, beginningWith: "\(epoch)/")
            var known: [UInt32: DeliveredPlace] = [:]
            known.reserveCapacity(places.count)
            for place in places {
                if let uid = IMAPPlace(place.place)?.uid { known[uid] = place }
            }
            try noteDeparted(known, mailbox, ledger)
            return known
        } catch {
            throw FetchError(.spool, during: "looking up what was delivered before", "\(error)", underlying: error)
        }
    }

    private func noteDeparted(
        _ known: [UInt32: DeliveredPlace], _ mailbox: String, _ ledger: any DeliveryLedger
    ) throws {
        let listed = Set(entries.lazy.map(\.uid))
        let departed = known.filter { !listed.contains($0.key) }.map(\.value.place)
        if !departed.isEmpty { try ledger.noteDeparted(departed, in: mailbox) }
    }
}

extension Refusal {
    static func tooLarge(_ bytes: UInt64, limit: Int64) -> Refusal {
        Refusal(
            reason: .tooLarge,
            detail: "\(bytes) bytes, \(limit) are allowed: it stays on the server and only its header is kept here")
    }
}
