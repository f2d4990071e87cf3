internal import MailConnection
internal import FundCore

/// Asking for messages, and taking them.
extension POP3Fetching {
    /// Message bytes asked for ahead where the server allows pipelining.
    private static let aheadBytes: UInt64 = 8 << 20
    private static let maxPipelined = 128

    // MARK: Asking

    func request(from session: POP3Session) {
        sendDeletions(to: session)
        let limit = session.has("PIPELINING") ? Self.maxPipelined : 1
        var asked: UInt64 = 0
        for case .message(let entry) in replies { asked += entry.listed.size ?? 0 }
        // Many commands in one packet: one by one, each would wake the server.
        if replies.count > limit / 2 || asked > Self.aheadBytes / 2 { return }
        while replies.count < limit, asked < Self.aheadBytes, let entry = queue.popLast() {
            if secondLooks.contains(entry.listed.name) { pauseBeforeSecondLooks() }
            // A message that broke a connection before is asked for alone.
            if entry.attempts > 0, !replies.isEmpty {
                queue.append(entry)
                break
            }
            let number = entry.listed.number
            session.submit(entry.isHeaderOnly ? "TOP \(number) 0" : "RETR \(number)")
            replies.append(.message(entry))
            asked += entry.listed.size ?? 0
            if entry.attempts > 0 { break }
        }
    }

    func sendDeletions(to session: POP3Session) {
        let isPipelined = session.has("PIPELINING")
        while !unsentDeletions.isEmpty, isPipelined ? replies.count < 4 * Self.maxPipelined : replies.isEmpty {
            let place = unsentDeletions.removeLast()
            guard let entry = listed[place], deletions[place]?.fits(entry) != false else {
                deletions[place] = nil  // not there any more
                continue
            }
            session.submit("DELE \(entry.number)")
            replies.append(.deletion(place))
        }
    }

    // MARK: Answers

    func takeReply(from session: POP3Session) throws(ConnectionError) {
        let status = try session.status()
        if let whole = unverified.take() {
            connection.fruitless = 0
            if let message = whole.message { ready.append(message) }
        }
        guard let reply = replies.first else { return }
        switch reply {
        case .noop: break
        case .deletion(let place):
            if !status.isOK {
                deletions[place] = nil
                if refusal == nil { refusal = ConnectionError(refusal: status.text, during: "DELE") }
            }
        case .message(let entry): try take(entry, status, from: session)
        }
        session.isMidAnswer = false
        replies.removeFirst()
        if unverified != nil, replies.isEmpty {
            session.submit("NOOP")
            replies.append(.noop)
        }
        if !unsentDeletions.isEmpty { sendDeletions(to: session) }
    }

    private func take(_ entry: Entry, _ status: POP3Session.Status, from session: POP3Session) throws(ConnectionError) {
        guard status.isOK else {
            let hint = ServerHint(line: status.text)
            // The server does not know TOP. A temporary refusal is asked for again in the next run.
            if entry.isHeaderOnly, hint == nil {
                return try give(entry, POP3Body.nothing(of: entry.listed, in: services.spool))
            }
            refusals.noteRefused()
            if hint?.isOfServer ?? false || (refusals.areTooMany && !refusals.hasCome) {
                throw ConnectionError(refusal: status.text, during: entry.isHeaderOnly ? "TOP" : "RETR")
            }
            refusals.noteGivenUp(status.text, during: entry.isHeaderOnly ? "TOP" : "RETR")
            fail(entry, status.text)
            return lookElsewhere()
        }
        let body = POP3Body(
            isDiscarding ? nil : services.spool, maxBytes: access.maxMessageBytes, maxTime: access.messageLimit)
        body.begin()
        do throws(ConnectionError) {
            try session.body { bytes throws(ConnectionError) in try body.append(bytes) }
        } catch {
            if body.isTooSlow { leaveForLater(entry, received: UInt64(clamping: body.size)) }
            if body.isTooLarge { excess[entry.listed.name] = UInt64(clamping: body.size) }
            throw error
        }
        if isDiscarding { return }
        if let spooled = body.finish() { return try give(entry, spooled) }
        guard !entry.isHeaderOnly else { return fail(entry, "its header alone is larger than a message may be") }
        queue.append(Self.tooLarge(entry, size: UInt64(clamping: body.size)))
    }

    /// The server announced less than it sends: it is recorded by its header, as if its size had been known.
    static func tooLarge(_ entry: Entry, size: UInt64) -> Entry {
        var entry = entry
        (entry.isHeaderOnly, entry.listed.size) = (true, size)
        return entry
    }

    private func give(_ entry: Entry, _ spooled: SpooledMessage) throws(ConnectionError) {
        guard spooled.size > 0 || entry.listed.size == 0 || entry.isHeaderOnly else {
            return fail(entry, "the server gives no bytes of it")
        }
        let place = entry.listed.uidl.map(POP3Place.uidl) ?? .digest(spooled.digest)
        var reference = reference(entry, place: place.text)
        let isKnown = entry.listed.uidl == nil && known[place] != nil
        if !entry.isHeaderOnly, !isKnown {
            let name = entry.listed.name
            switch try SizeVerdict(of: spooled, announced: entry.listed.size, isSecondLook: secondLooks.contains(name))
            {
            case .asAnnounced: break
            case .lookAgain:
                secondLooks.insert(name)
                queue.insert(entry, at: 0)
                return unverified = (nil, name)
            case .differs:
                reference.hasSizeMismatch = true
                sizeMismatches += 1
            case .unavailable(let problem):
                return fail(entry, problem)
            }
        }
        given[entry.listed.name] = AnnouncedSize(bytes: entry.isHeaderOnly ? nil : entry.listed.size)
        if entry.listed.uidl == nil {
            // Only the digest tells which message it is.
            if let known = known[place], known.hasSizeMismatch || access.after(isFiled: known.isFiled) == .keep {
                wantedCount = wantedCount.map { $0 - 1 }
                return
            }
            listed[place] = entry.listed
        }
        refusals.noteCame()
        if entry.isHeaderOnly { refused.insert(place) }
        let limit = entry.isHeaderOnly ? access.maxMessageBytes : nil
        let message = PendingMessage(spooled, at: reference, largerThan: limit)
        let isAsAnnounced = entry.isHeaderOnly || entry.listed.size.map { Int64(clamping: $0) == spooled.size } ?? true
        guard isAsAnnounced else { return unverified = (message, entry.listed.name) }
        connection.fruitless = 0
        ready.append(message)
    }

    /// A message that is refused must not delay those behind it; shuffled, so that each run leaves out other messages.
    private func lookElsewhere() {
        if refusals.areOthersFirst { queue.shuffle() }
        guard refusals.areTooMany else { return }
        for entry in queue { fail(entry, FetchPatience.notAskedFor) }
        queue = []
    }

    // MARK: Messages that do not come

    /// A message took all the time that one may take. Larger ones than what came of it are left for the next run, too.
    private func leaveForLater(_ entry: Entry, received: UInt64) {
        connection.fruitless = 0
        largestInTime = min(received, largestInTime ?? received)
        fail(entry, FetchPatience.tooSlow(received))
    }

    /// Gives the pipeline a message that cannot be fetched: it stays on the server, and the next one flows.
    func fail(_ entry: Entry, _ problem: String) {
        given[entry.listed.name] = AnnouncedSize()
        let place = entry.listed.uidl?.text ?? "message \(entry.listed.number)"
        ready.append(PendingMessage(unavailable: problem, at: reference(entry, place: place)))
    }

    private func reference(_ entry: Entry, place: String) -> SourceReference {
        SourceReference(
            mailbox: access.name, place: place, announcedBytes: entry.listed.size.map { Int64(clamping: $0) })
    }
}
