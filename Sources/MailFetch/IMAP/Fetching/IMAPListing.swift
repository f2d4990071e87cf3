internal import MailConnection
internal import FundCore

/// The messages of a mailbox, and what is to be done with them.
struct IMAPListing {
    struct Entry {
        var uid: UID
        /// `RFC822.SIZE`; nil where the server cannot tell, as when it cannot open the message's file.
        var size: UInt64?
        var flags: [String] = []

        init(uid: UID) { self.uid = uid }

        /// Takes what a response says. `ofUse`: lower-case flags; others are not kept.
        mutating func note(_ fetch: IMAPFetch, ofUse: Set<String>) {
            size = fetch.size ?? size
            if let all = fetch.flags { flags = all.map { $0.lowercased() }.filter(ofUse.contains) }
        }

        func has(_ flag: String) -> Bool { flags.contains(flag.lowercased()) }
    }

    struct Plan {
        var fetch: [IMAPQueue.Entry] = []
        /// Durable here, but the server was not told, or refused.
        var acknowledge: [MailboxAccess.After: [UID]] = [:]
    }

    /// Ascending by UID.
    var entries: [Entry]
    /// Everything in the mailbox is listed, not only what is new.
    var isWhole: Bool
    var epoch: UIDValidity

    /// `canDo` says whether the mailbox may be changed in this way.
    func plan(
        _ access: MailboxAccess, ledger: any DeliveryLedger, canDo: (MailboxAccess.After) -> Bool
    ) throws(ConnectionError) -> Plan {
        let limit = UInt64(max(access.maxMessageBytes, 0))
        // Messages newer than the last listing were never delivered.
        let known = isWhole ? try delivered(access.name, ledger) : [:]
        var plan = Plan()
        for (position, entry) in entries.enumerated() {
            let isTooLarge = entry.size ?? 0 > limit
            if let place = known[entry.uid] {
                if place.isStillTooLarge(limit: limit, listed: entry.size) { continue }
                let after = access.after(isFiled: place.isFiled)
                if place.isWhole(listed: entry.size),
                    place.hasSizeMismatch || isTooLarge || !canDo(after) || isSettled(entry, after, &plan)
                {
                    continue
                }
            }
            plan.fetch.append(
                IMAPQueue.Entry(uid: entry.uid, size: entry.size, position: position, isHeaderOnly: isTooLarge))
        }
        return plan
    }

    /// Whether a message that is durable here need not be fetched: UIDVALIDITY, UID and size say that it is the same.
    /// That suffices to move it, not to delete it: then it is fetched again, and recognised by its bytes.
    private func isSettled(_ entry: Entry, _ after: MailboxAccess.After, _ plan: inout Plan) -> Bool {
        switch after {
        case .keep: return true
        case .flag(let flag): if entry.has(flag) { return true }
        case .move: break
        case .delete: guard entry.has("\\Deleted") else { return false }
        }
        plan.acknowledge[after, default: []].append(entry.uid)
        return true
    }

    /// Without sizes for servers that cannot tell that of some message, and then tell nothing of the others.
    static func command(from first: UID, withSizes: Bool) -> String {
        "UID FETCH \(first):* (UID FLAGS\(withSizes ? " RFC822.SIZE" : ""))"
    }

    /// The flags that `plan` looks at, lower-case.
    static func flagsOfUse(_ access: MailboxAccess) -> Set<String> {
        var flags: Set = ["\\deleted"]
        for case .flag(let flag) in access.afters { flags.insert(flag.lowercased()) }
        return flags
    }

    private func delivered(_ mailbox: String, _ ledger: any DeliveryLedger) throws(ConnectionError) -> [UID:
        DeliveredPlace]
    {
        let listed = Set(entries.lazy.map(\.uid))
        return try ledger.delivered(in: mailbox) { text in
            // Places of another UIDVALIDITY are never looked up again, even when the server goes back to it.
            guard let place = IMAPPlace(text), place.epoch == epoch, listed.contains(place.uid) else {
                return .departed
            }
            return .there(place.uid)
        }
    }
}
