internal import FundCore

/// What is in the mailbox, and what of it is to be done.
struct IMAPListing {
    struct Entry {
        var uid: UID
        /// `RFC822.SIZE`; nil where the server cannot tell, as when it cannot open the message's file.
        var size: UInt64?
        var flags: [String] = []

        init(uid: UID) { self.uid = uid }

        /// What a response tells of it. `ofUse`, in small letters: other flags are not kept.
        mutating func note(_ fetch: IMAPFetch, ofUse: Set<String>) {
            size = fetch.size ?? size
            if let all = fetch.flags { flags = all.map { $0.lowercased() }.filter(ofUse.contains) }
        }

        func has(_ flag: String) -> Bool { flags.contains(flag.lowercased()) }
    }

    struct Plan {
        var fetch: [IMAPQueue.Entry] = []
        /// Durable here, but the server was not told, or did not take it.
        var acknowledge: [MailboxAccess.After: [UID]] = [:]
    }

    /// Nobody has so many in one folder; each takes a hundred bytes here.
    static let maxEntries = 4_000_000

    /// Ascending by UID.
    var entries: [Entry]
    /// Everything in the mailbox is listed, not only what is new.
    var isWhole: Bool
    var epoch: UIDValidity

    /// `canDo` says whether the mailbox may be changed in this way.
    func plan(
        _ access: MailboxAccess, ledger: any DeliveryLedger, canDo: (MailboxAccess.After) -> Bool
    ) throws(FetchError) -> Plan {
        let limit = UInt64(max(access.maxMessageBytes, 0))
        // What is newer than everything that was listed was never delivered.
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

    /// Whether a message that is durable here need not be fetched: its epoch, UID and size say that it is the same. What should have been
    /// deleted and is still there is fetched again and recognised by its bytes: for a deletion that is not proof enough, and it is rarely
    /// refused. What should have been moved is not lost by it.
    private func isSettled(_ entry: Entry, _ after: MailboxAccess.After, _ plan: inout Plan) -> Bool {
        switch after {
        case .keep: return true
        case .flag(let flag):
            if !entry.has(flag) { plan.acknowledge[after, default: []].append(entry.uid) }
            return true
        case .move:
            plan.acknowledge[after, default: []].append(entry.uid)
            return true
        case .delete:
            guard entry.has("\\Deleted") else { return false }
            plan.acknowledge[after, default: []].append(entry.uid)
            return true
        }
    }

    /// Without sizes where the server cannot tell that of some message: it would tell nothing of all others.
    static func command(from first: UID, withSizes: Bool) -> String {
        "UID FETCH \(first):* (UID FLAGS\(withSizes ? " RFC822.SIZE" : ""))"
    }

    /// What `plan` asks for, in small letters.
    static func flagsOfUse(_ access: MailboxAccess) -> Set<String> {
        var flags: Set = ["\\deleted"]
        for case .flag(let flag) in access.afters { flags.insert(flag.lowercased()) }
        return flags
    }

    private func delivered(_ mailbox: String, _ ledger: any DeliveryLedger) throws(FetchError) -> [UID: DeliveredPlace]
    {
        do {
            let places = try ledger.deliveredPlaces(in: mailbox)
            let listed = Set(entries.lazy.map(\.uid))
            var known: [UID: DeliveredPlace] = [:]
            known.reserveCapacity(places.count)
            var departed: [String] = []
            for place in places {
                // What another epoch named is gone for good, even when the server goes back to that epoch.
                if let at = IMAPPlace(place.place), at.epoch == epoch, listed.contains(at.uid) {
                    known[at.uid] = place
                } else {
                    departed.append(place.place)
                }
            }
            if !departed.isEmpty { try ledger.noteDeparted(departed, in: mailbox) }
            return known
        } catch {
            throw FetchError(.spool, during: "looking up what was delivered before", "\(error)", underlying: error)
        }
    }
}

extension DeliveredPlace {
    /// The same message is there again, and all of it is here. A server that gives a place to another message is caught by the size,
    /// most of the time.
    func isWhole(listed: UInt64?) -> Bool { !isRefusedUnseen && isSameSize(listed) }

    /// Only its header is here, and more is still not wanted. What turned out to be larger than listed is remembered with that size.
    func isStillTooLarge(limit: UInt64, listed: UInt64?) -> Bool {
        guard isRefusedUnseen, let known = announcedBytes.map(UInt64.init(clamping:)) ?? listed, known > limit else {
            return false
        }
        return isSameSize(listed) || listed ?? 0 <= limit
    }

    private func isSameSize(_ listed: UInt64?) -> Bool {
        guard let announcedBytes, let listed else { return true }
        return announcedBytes == Int64(clamping: listed)
    }
}

extension Refusal {
    static func tooLarge(_ bytes: UInt64, limit: Int64) -> Refusal {
        Refusal(
            reason: .tooLarge,
            detail: "\(bytes) bytes, \(limit) are allowed: it stays on the server and only its header is kept here")
    }
}
