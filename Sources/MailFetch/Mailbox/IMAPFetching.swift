internal import Ingest

/// The state of fetching from one IMAP mailbox, over as many connections as it takes. Used by one thread at a time.
final class IMAPFetching {
    /// Bytes asked for ahead of what was read: enough at first for a busy line, then as much as comes in about a second.
    private static let windowBytes: ClosedRange<UInt64> = 4 << 20...16 << 20
    /// Windows under way at most, for mailboxes of tiny messages.
    private static let maxWindows = 4
    /// Lines that drop one after the other without a message between them.
    private static let maxFruitlessConnections = 3
    /// Messages that end the line each time, after which the server is taken to be broken.
    private static let maxPoisonous = 10
    private static let headerBytes = 64 * 1024

    let access: MailboxAccess
    let surroundings: MailboxSurroundings
    private let spooling: BodySpooling

    var session: IMAPSession?
    private var state: IMAPMailboxState?
    private var queue = IMAPQueue()
    private var windows: [IMAPSession.Tag: IMAPQueue.Window] = [:]
    private var arrivals = IMAPArrivals()
    private var acknowledging = IMAPAcknowledging()
    /// Recorded by their header alone: they stay on the server.
    private var refused: Set<UInt32> = []

    enum Listing { case all, newer, done }
    var listing = Listing.all
    private var highestListed: UInt32 = 0
    /// Messages of the mailbox that were there when it was listed last, and still are: more than these is news.
    var accounted: UInt32 = 0
    private var windowBytes = IMAPFetching.windowBytes.lowerBound
    private var windowStart = ContinuousClock.now
    private var fruitless = 0
    private var poisonous = 0
    /// Of the large message that is being gone on with.
    private var partialBytes: UInt64 = 0
    private var didTellReadOnly = false
    /// Since the source was made: a line that drops later is worth another one.
    private var hasConnected = false
    /// The server offers IDLE and refuses it.
    var isIdleBroken = false

    init(_ access: MailboxAccess, _ surroundings: MailboxSurroundings) {
        self.access = access
        self.surroundings = surroundings
        spooling = BodySpooling(spool: surroundings.spool, maxBytes: access.maxMessageBytes)
    }

    // MARK: What the source does

    func next() throws(FetchError) -> PendingMessage? {
        while true {
            if let message = arrivals.next() { return message }
            if surroundings.cancellation.isCancelled { return nil }
            do {
                let session = try connected()
                if listing != .done { try list(on: session) }
                request(from: session)
                if windows.isEmpty {
                    if arrivals.hasReady { continue }
                    (listing, poisonous) = (.all, 0)
                    return nil
                }
                try take(try session.next())
            } catch {
                if error.code == .cancelled {
                    if session?.isMidAnswer ?? false { drop() }
                    return nil
                }
                try recover(from: error)
            }
        }
    }

    /// Another message is here, or its beginning is.
    var hasMore: Bool { arrivals.hasReady || session?.hasBufferedBytes ?? false }

    func acknowledge(_ messages: [StoredMessage]) {
        guard let state else { return }
        var uids: [MailboxAccess.After: [UInt32]] = [:]
        for message in messages {
            guard let place = IMAPPlace(message.message.reference.place), place.epoch == state.epoch,
                !refused.contains(place.uid)
            else { continue }
            uids[access.after(isFiled: message.isFiled), default: []].append(place.uid)
        }
        for (after, uids) in uids where canDo(after, in: state) { acknowledging.add(uids, after) }
    }

    func finish() throws(FetchError) {
        var end: ContinuousClock.Instant?
        // What was asked for and is not wanted any more stands before the answers that are.
        spooling.isDiscarding = true
        defer { spooling.isDiscarding = false }
        arrivals.dropReady()
        while !acknowledging.isDone || !acknowledging.marked.isEmpty {
            // Nothing is lost: what was not told comes again and is recognised.
            guard mayGoOn(until: &end) else { return giveUpTheRest() }
            do throws(FetchError) {
                let session = try connected()
                acknowledging.submit(to: session)
                if !acknowledging.isDone {
                    try take(try session.next())
                } else {
                    let left = try acknowledging.expungeMarked(on: session)
                    if left > 0 { surroundings.onNotice(.leftMarkedDeleted(count: left)) }
                }
            } catch {
                if error.code == .cancelled { continue }
                if surroundings.cancellation.isCancelled { return giveUpTheRest() }
                guard error.endsConnection else { throw error }
                try recover(from: error)
            }
        }
        if !windows.isEmpty || !queue.isEmpty { giveUpTheRest() }
        if let refusal = acknowledging.takeRefusal() { throw refusal }
    }

    /// When cancelled, only over a connection that is in order, and not for long.
    private func mayGoOn(until end: inout ContinuousClock.Instant?) -> Bool {
        guard surroundings.cancellation.isCancelled else { return true }
        guard let session, !session.isMidAnswer else { return false }
        session.hurry(access.deadlines.farewell)
        let limit = end ?? .now + access.deadlines.farewell
        end = limit
        return .now < limit
    }

    /// The run was stopped early: what was asked for would come before every other answer.
    private func giveUpTheRest() {
        drop()
        queue.fill([])
        arrivals.dropReady()
        spooling.forget()
        listing = .all
    }

    func close() {
        guard let session else { return }
        self.session = nil
        session.hurry(access.deadlines.farewell)
        spooling.isDiscarding = true
        session.sink = spooling
        session.isLoggingOut = true
        _ = try? session.run("LOGOUT")
        spooling.isDiscarding = false
        spooling.forget()
    }

    // MARK: Connections

    func connected() throws(FetchError) -> IMAPSession {
        if let session { return session }
        let login = CurlLogin(
            address: access.address, credentials: access.credentials, tls: access.tls, deadlines: access.deadlines,
            cancellation: surroundings.cancellation, transcript: access.transcript)
        let session = IMAPSession(
            channel: try login.open(), deadlines: access.deadlines, transcript: access.transcript)
        session.sink = spooling
        enter(try session.select(access.address.mailbox, examining: access.afters == [.keep]))
        self.session = session
        hasConnected = true
        return session
    }

    private func enter(_ new: IMAPMailboxState) {
        noteEpoch(new.epoch)
        state = new
        // What came and went while there was no line shows in the next UID alone.
        accounted = new.uidNext.map { UInt64($0) == UInt64(highestListed) + 1 } ?? false ? new.exists : 0
        if !didTellReadOnly, access.afters.contains(where: { !canDo($0, in: new) }) {
            didTellReadOnly = true
            surroundings.onNotice(.readOnly)
        }
    }

    /// The numbers of another epoch name other messages: nothing that was known by number holds any more.
    private func noteEpoch(_ epoch: UInt32) {
        guard let old = state?.epoch, old != epoch else { return }
        surroundings.onNotice(.epochChanged(from: old, to: epoch))
        queue.fill([])
        windows = [:]
        _ = arrivals.abandon()
        acknowledging.forget()
        refused = []
        spooling.forget()
        listing = .all
        (highestListed, accounted) = (0, 0)
    }

    private func canDo(_ after: MailboxAccess.After, in state: IMAPMailboxState) -> Bool {
        switch after {
        case .keep: true
        case .flag(let flag): state.canSet(flag)
        case .delete, .move: state.canSet("\\Deleted")
        }
    }

    /// Gives up a connection that is of no use and makes the state ready for the next one.
    private func recover(from error: FetchError) throws(FetchError) {
        let isWorthAnother = error.endsConnection || error.code == .messageUnavailable || error.code == .unreachable
        guard isWorthAnother, hasConnected else {
            if error.code != .commandRefused { drop() }
            throw error
        }
        drop(blaming: 1)
        fruitless += 1
        if fruitless > Self.maxFruitlessConnections { throw error }
        surroundings.onNotice(.reconnecting(error.code))
        let pause = Duration.milliseconds(100) * (1 << (2 * fruitless))
        guard surroundings.cancellation.sleep(for: pause) else {
            throw FetchError(.cancelled, during: "connecting again")
        }
    }

    /// What was asked for and did not come goes back; the message at which the line dropped is tried alone.
    func drop(blaming attempts: Int = 0) {
        session = nil
        spooling.lineDropped()
        acknowledging.lineDropped()
        var back = arrivals.abandon()
        windows = [:]
        guard !back.isEmpty else { return }
        let suspect = spooling.partial.flatMap { partial in back.firstIndex { $0.uid == partial.uid } } ?? 0
        // A piece more of a large message is progress.
        if let received = spooling.partial?.received, received > partialBytes {
            (partialBytes, fruitless) = (received, 0)
        } else {
            back[suspect].attempts += attempts
        }
        if back[suspect].attempts >= IMAPQueue.maxAttempts {
            fail(back.remove(at: suspect), "the connection ends each time this message is fetched")
            poisonous += 1
            if poisonous <= Self.maxPoisonous { fruitless = 0 }
            spooling.forget()
        }
        queue.putBack(back)
    }

    // MARK: Listing

    private func list(on session: IMAPSession) throws(FetchError) {
        guard let state else { return }
        let first = listing == .newer && highestListed < .max ? highestListed + 1 : 1
        var found: [UInt32: IMAPListing.Entry] = [:]
        accounted = session.exists
        // `n:*` names the last message even when it is older (RFC 3501 §6.4.8).
        let tag = session.submit(
            "UID FETCH \(first):* (UID FLAGS RFC822.SIZE)", expecting: UInt64(state.exists) * 100)
        listen: while true {
            let event = try session.next()
            switch event {
            case .fetch(let fetch):
                if let entry = IMAPListing.Entry(fetch), entry.uid >= first { found[entry.uid] = entry }
            case .completed(tag, let status):
                // QUIRK: some servers refuse a range of an empty mailbox.
                if session.exists > 0 { _ = try IMAPSession.checked(status, during: "UID FETCH") }
                break listen
            default: try take(event)
            }
        }
        let listing = IMAPListing(
            entries: found.values.sorted { $0.uid < $1.uid }, isWhole: first == 1, epoch: state.epoch)
        let plan = try listing.plan(access, ledger: surroundings.ledger) { canDo($0, in: state) }
        queue.fill(plan.fetch)
        for (after, uids) in plan.acknowledge { acknowledging.add(uids, after) }
        refused.formUnion(plan.fetch.lazy.filter(\.isHeaderOnly).map(\.uid))
        highestListed = max(highestListed, found.keys.max() ?? 0)
        self.listing = .done
    }

    // MARK: Fetching

    private func request(from session: IMAPSession) {
        acknowledging.submit(to: session)
        if let partial = spooling.partial { return resume(partial, on: session) }
        var asked = windows.values.reduce(0) { $0 + $1.bytes }
        while windows.count < Self.maxWindows, asked < windowBytes,
            let window = queue.nextWindow(bytes: windowBytes / 2)
        {
            asked += window.bytes
            if windows.isEmpty { windowStart = .now }
            let isHeader = window.entries.first?.isHeaderOnly ?? false
            submit(window, section: isHeader ? "BODY.PEEK[HEADER]<0.\(Self.headerBytes)>" : "BODY.PEEK[]", on: session)
        }
    }

    /// Asks for the rest of a large message that is half here, alone.
    private func resume(_ partial: BodySpooling.Partial, on session: IMAPSession) {
        guard windows.isEmpty else { return }
        guard let entry = queue.take(partial.uid) else { return spooling.forget() }
        let window = IMAPQueue.Window(set: "\(partial.uid)", entries: [entry], bytes: partial.missing)
        submit(window, section: "BODY.PEEK[]<\(partial.received).\(partial.missing)>", on: session)
    }

    private func submit(_ window: IMAPQueue.Window, section: String, on session: IMAPSession) {
        arrivals.expect(window.entries)
        windows[session.submit("UID FETCH \(window.set) (UID \(section))", expecting: window.bytes)] = window
    }

    func take(_ event: IMAPSession.Event) throws(FetchError) {
        switch event {
        case .fetch(let fetch): try take(fetch)
        case .completed(let tag, let status):
            guard let session else { return }
            if acknowledging.complete(tag, status, on: session) { return }
            if let window = windows.removeValue(forKey: tag) { try complete(window, status) }
        case .status(let status):
            if status.code == "ALERT" { surroundings.onNotice(.alert(status.text)) }
            if status.code == "UIDVALIDITY", let epoch = UInt32(status.argument), epoch != state?.epoch {
                // The next SELECT says it again, and everything is let go then.
                throw FetchError(.connectionLost, during: "fetching", "the mailbox was replaced")
            }
        case .expunge: if accounted > 0 { accounted -= 1 }
        case .exists, .search, .continuation, .other: break
        }
    }

    private func take(_ fetch: IMAPFetch) throws(FetchError) {
        guard fetch.body != .none, !spooling.isDiscarding || fetch.uid.flatMap({ arrivals.expected[$0] }) != nil else {
            return
        }
        guard let state, let uid = fetch.uid, let entry = arrivals.settle(uid) else {
            throw FetchError(.protocolViolation, during: "fetching", "a message that was not asked for")
        }
        if spooling.isDiscarding { return }
        guard case .received(let section, _, let size) = fetch.body else {
            return fail(entry, "the server does not give its bytes")
        }
        guard section == (entry.isHeaderOnly ? "BODY[HEADER]" : "BODY[]") else {
            throw FetchError(.protocolViolation, during: "fetching", "another part than asked for")
        }
        guard let spooled = spooling.finish() else {
            throw FetchError(.protocolViolation, during: "fetching", "a message without its bytes")
        }
        guard size > 0 || entry.size == 0 || entry.isHeaderOnly else {
            spooled.discard()
            return fail(entry, "the server gives no bytes of it")
        }
        (fruitless, partialBytes) = (0, 0)
        let handover = SpooledHandover(spooled)
        let message = PendingMessage(
            reference: reference(entry, epoch: state.epoch), expectedBytes: Int64(clamping: entry.size),
            refusal: entry.isHeaderOnly ? .tooLarge(entry.size, limit: access.maxMessageBytes) : nil
        ) { _ in try handover.take() }
        arrivals.add(message, uid: uid)
    }

    private func complete(_ window: IMAPQueue.Window, _ status: IMAPStatus) throws(FetchError) {
        let missing = window.entries.filter { arrivals.settle($0.uid) != nil }
        if .now - windowStart < .seconds(1) { windowBytes = min(windowBytes * 2, Self.windowBytes.upperBound) }
        windowStart = .now
        guard !missing.isEmpty, !spooling.isDiscarding else { return }
        if status.kind == .ok { return surroundings.onNotice(.vanished(count: missing.count)) }
        if let hint = ServerHint(said: status.line) {
            queue.putBack(missing)
            throw FetchError(hint.code, during: "fetching", status.line, retryAfter: hint.retryAfter)
        }
        // One of them may be gone, or broken on the server: the others are asked for alone.
        if window.entries.count == 1 { return fail(window.entries[0], status.line) }
        queue.putBack(
            missing.map { entry in
                var entry = entry
                entry.attempts += 1
                return entry
            })
    }

    /// Told to the pipeline as a message that cannot be had: it stays on the server, and the next one flows.
    private func fail(_ entry: IMAPQueue.Entry, _ problem: String) {
        guard let state else { return }
        let error = FetchError(.messageUnavailable, during: "fetching", problem)
        let reference = reference(entry, epoch: state.epoch)
        arrivals.add(PendingMessage(reference: reference) { _ in throw error }, uid: entry.uid)
    }

    private func reference(_ entry: IMAPQueue.Entry, epoch: UInt32) -> SourceReference {
        SourceReference(
            mailbox: access.name, place: IMAPPlace(epoch: epoch, uid: entry.uid).text,
            announcedBytes: Int64(clamping: entry.size))
    }
}
