internal import MailConnection
internal import FundCore

/// Listing the mailbox anew over each connection, which has message numbers of its own, and planning what to fetch.
extension POP3Fetching {
    func list(on session: POP3Session) throws(ConnectionError) {
        let isPipelined = session.has("PIPELINING")
        session.submit("UIDL")
        if isPipelined { session.submit("LIST") }
        let uidls = try lines(of: session)
        if !isPipelined { session.submit("LIST") }
        guard let sizes = try lines(of: session) else {
            throw ConnectionError(.unsupported, during: "LIST", "the server does not list its messages")
        }
        let listing = POP3Listing(uidl: uidls ?? [], sizes: sizes)
        listed = [:]
        for entry in listing.entries { if let uidl = entry.uidl { listed[.uidl(uidl)] = entry } }
        try plan(listing)
    }

    private func lines(of session: POP3Session) throws(ConnectionError) -> [[UInt8]]? {
        guard try session.status().isOK else { return nil }
        var lines: [[UInt8]] = []
        try session.lines { line throws(ConnectionError) in lines.append(line) }
        return lines
    }

    private func plan(_ listing: POP3Listing) throws(ConnectionError) {
        let limit = UInt64(max(access.maxMessageBytes, 0))
        let isFirst = !isListed
        messageCount = listing.entries.count
        if isFirst {
            try lookUp(listing)
            if listing.ambiguous > 0 { services.onNotice(.ambiguousIdentity(count: listing.ambiguous)) }
        }
        var wanted: [Entry] = []
        var failed = 0
        for listed in listing.entries {
            var entry = Entry(listed: listed, isHeaderOnly: listed.size ?? 0 > limit)
            let name = listed.name
            if given[name]?.fits(listed) == true { continue }
            if case .uidl(let uidl) = name, let place = known[.uidl(uidl)], isToStay(place, listed, limit: limit) {
                continue
            }
            entry.attempts = attempts[name] ?? 0
            if let size = excess[name] { entry = Self.tooLarge(entry, size: size) }
            if let largestInTime, !entry.isHeaderOnly, listed.size ?? 0 > largestInTime {
                fail(entry, FetchPatience.tooSlow(largestInTime))
                failed += 1
            } else if entry.attempts >= FetchPatience.maxAttempts {
                fail(entry, "the connection ends each time this message is fetched")
                failed += 1
                poisonous += 1
                if poisonous <= FetchPatience.maxPoisonous { connection.fruitless = 0 }
            } else {
                wanted.append(entry)
            }
        }
        if !wanted.isEmpty { services.onComingMail() }
        queue = wanted.reversed()
        if isFirst { noteWaiting(wanted.count + failed) }
        isListed = true
    }

    /// Known, and not wanted again. What is to be deleted and is still there is fetched again and recognised.
    private func isToStay(_ place: DeliveredPlace, _ listed: POP3Listing.Entry, limit: UInt64) -> Bool {
        if place.isStillTooLarge(limit: limit, listed: listed.size) { return true }
        let isKept = access.after(isFiled: place.isFiled) == .keep || place.hasSizeMismatch
        return place.isWhole(listed: listed.size) && (isKept || listed.size ?? 0 > limit)
    }

    private func lookUp(_ listing: POP3Listing) throws(ConnectionError) {
        let listed = Set(listing.entries.compactMap(\.uidl))
        known = try services.ledger.delivered(in: access.name) { text in
            let place = POP3Place(text)
            if case .uidl(let uidl) = place, !listed.contains(uidl) { return .departed }
            return place.map { .there($0) }
        }
    }
}
