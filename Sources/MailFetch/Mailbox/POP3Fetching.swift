internal import Ingest

/// The state of fetching from one POP3 mailbox, over as many connections as it takes. Used by one thread at a time.
final class POP3Fetching {
    /// Message bytes asked for ahead where the server allows pipelining.
    private static let windowBytes: UInt64 = 4 << 20
    private static let maxPipelined = 64
    private static let maxFruitlessConnections = 3
    private static let maxAttempts = 3

    private struct Entry {
        var listed: POP3Listing.Entry
        var isHeaderOnly = false
        var attempts = 0
    }

    /// What the next answers are to.
    private enum Reply {
        case message(Entry)
        case deletion(place: String)
        case noop
    }

    private let access: MailboxAccess
    private let surroundings: MailboxSurroundings

    private var session: POP3Session?
    private var isListed = false
    /// Messages that nobody waits for any more go nowhere.
    private var isDiscarding = false
    private var queue: [Entry] = []  // the next one is the last
    private var replies: [Reply] = []
    private var ready: [PendingMessage] = []
    /// Whole, but not of the announced size: the next answer shows whether the server's framing holds.
    private var unverified: (message: PendingMessage, uidl: String?)?
    /// Message numbers of this session by place, for the deletions.
    private var numbers: [String: Int] = [:]
    private var given: Set<String> = []
    private var refused: Set<String> = []
    private var known: [String: DeliveredPlace] = [:]
    /// Durable here and to be deleted there; confirmed only by QUIT.
    private var deletions: Set<String> = []
    private var unsentDeletions: [String] = []
    private var refusal: FetchError?
    private var attempts: [String: Int] = [:]
    private var fruitless = 0
    private var hasConnected = false

    init(_ access: MailboxAccess, _ surroundings: MailboxSurroundings) {
        self.access = access
        self.surroundings = surroundings
    }

    // MARK: What the source does

    func next() throws(FetchError) -> PendingMessage? {
        while true {
            if !ready.isEmpty { return ready.removeFirst() }
            if surroundings.cancellation.isCancelled { return nil }
            do throws(FetchError) {
                let session = try connected()
                request(from: session)
                if replies.isEmpty {
                    if ready.isEmpty { return nil }
                    continue
                }
                try takeReply(from: session)
            } catch {
                if error.code == .cancelled {
                    if session?.isMidAnswer ?? false { session = nil }
                    return nil
                }
                try recover(from: error)
            }
        }
    }

    /// Another message is here, or its beginning is.
    var hasMore: Bool { !ready.isEmpty || session?.hasBufferedBytes ?? false }

    func acknowledge(_ messages: [StoredMessage]) {
        for message in messages where access.after(isFiled: message.isFiled) == .delete {
            let place = message.message.reference.place
            if !refused.contains(place), deletions.insert(place).inserted { unsentDeletions.append(place) }
        }
    }

    func finish() throws(FetchError) {
        var end: ContinuousClock.Instant?
        isDiscarding = true
        defer { endRun() }
        queue = []
        ready = []
        while session != nil || !deletions.isEmpty {
            // Nothing is lost: what was not told comes again and is recognised.
            guard mayGoOn(until: &end) else { return }
            do throws(FetchError) {
                let session = try connected()
                queue = []
                sendDeletions(to: session)
                while !replies.isEmpty { try takeReply(from: session) }
                try quit(session)
            } catch {
                if error.code == .cancelled { continue }
                if surroundings.cancellation.isCancelled { return }
                guard error.endsConnection else { throw error }
                try recover(from: error)
            }
        }
        if let refusal { throw refusal }
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

    private func endRun() {
        isDiscarding = false
        session = nil
        (isListed, refusal, fruitless, hasConnected) = (false, nil, 0, false)
        (replies, unverified, unsentDeletions) = ([], nil, [])
        (numbers, given, refused, known, deletions, attempts) = ([:], [], [], [:], [], [:])
    }

    /// RFC 1939 §6: only now does the server delete, and it may still fail.
    private func quit(_ session: POP3Session) throws(FetchError) {
        session.submit("QUIT")
        let status = try session.status()
        self.session = nil
        deletions = []
        if !status.isOK, refusal == nil { refusal = Self.refusal(status, during: "QUIT") }
    }

    private static func refusal(_ status: POP3Session.Status, during operation: String) -> FetchError {
        let hint = ServerHint(said: status.text)
        return FetchError(
            hint?.code ?? .commandRefused, during: operation, status.text, retryAfter: hint?.retryAfter)
    }

    // MARK: Connections

    private func connected() throws(FetchError) -> POP3Session {
        if let session { return session }
        let login = CurlLogin(
            address: access.address, credentials: access.credentials, tls: access.tls, deadlines: access.deadlines,
            cancellation: surroundings.cancellation, transcript: access.transcript)
        let session = POP3Session(
            channel: try login.open(), deadlines: access.deadlines, transcript: access.transcript)
        try session.learnCapabilities()
        try list(on: session)
        self.session = session
        hasConnected = true
        return session
    }

    private func recover(from error: FetchError) throws(FetchError) {
        let isWorthAnother =
            error.endsConnection || [.messageUnavailable, .unreachable, .inUse].contains(error.code)
        guard isWorthAnother, hasConnected else {
            session = nil
            throw error
        }
        drop()
        fruitless += 1
        if fruitless > Self.maxFruitlessConnections { throw error }
        surroundings.onNotice(.reconnecting(error.code))
        let pause = Duration.milliseconds(100) * (1 << (2 * fruitless))
        guard surroundings.cancellation.sleep(for: pause) else {
            throw FetchError(.cancelled, during: "connecting again")
        }
    }

    /// The mailbox is listed anew over the next connection; the message at which the line dropped is counted.
    private func drop() {
        session = nil
        if let uidl = unverified?.uidl { given.remove(uidl) }
        unverified = nil
        unsentDeletions = Array(deletions)
        let suspect = replies.lazy.compactMap { reply in
            if case .message(let entry) = reply { entry } else { nil }
        }.first
        replies = []
        queue = []
        if let uidl = suspect?.listed.uidl { attempts[uidl, default: 0] += 1 }
    }

    // MARK: Listing

    private func list(on session: POP3Session) throws(FetchError) {
        let isPipelined = session.has("PIPELINING")
        session.submit("UIDL")
        if isPipelined { session.submit("LIST") }
        let uidls = try lines(of: session)
        if !isPipelined { session.submit("LIST") }
        guard let sizes = try lines(of: session) else {
            throw FetchError(.unsupported, during: "LIST", "the server does not list its messages")
        }
        let listing = POP3Listing(uidl: uidls ?? [], sizes: sizes)
        numbers = [:]
        for entry in listing.entries { if let uidl = entry.uidl { numbers[uidl] = entry.number } }
        try plan(listing)
    }

    private func lines(of session: POP3Session) throws(FetchError) -> [[UInt8]]? {
        guard try session.status().isOK else { return nil }
        var lines: [[UInt8]] = []
        try session.lines { line throws(FetchError) in lines.append(line) }
        return lines
    }

    private func plan(_ listing: POP3Listing) throws(FetchError) {
        let limit = UInt64(max(access.maxMessageBytes, 0))
        if !isListed {
            let isRemembering = access.afters.contains(.keep) || listing.entries.contains { $0.size ?? 0 > limit }
            if isRemembering { try lookUp(listing) }
            if listing.ambiguous > 0 { surroundings.onNotice(.ambiguousIdentity(count: listing.ambiguous)) }
        }
        var wanted: [Entry] = []
        for listed in listing.entries {
            let isTooLarge = listed.size ?? 0 > limit
            // Without a name it cannot be told from others after a dropped line: it is left to the next run.
            guard let uidl = listed.uidl else {
                if !isListed { wanted.append(Entry(listed: listed, isHeaderOnly: isTooLarge)) }
                continue
            }
            if given.contains(uidl) { continue }
            if let place = known[uidl], isSame(place, listed), isToStay(place, isTooLarge: isTooLarge) { continue }
            let entry = Entry(listed: listed, isHeaderOnly: isTooLarge, attempts: attempts[uidl] ?? 0)
            if entry.attempts >= Self.maxAttempts {
                fail(entry, "the connection ends each time this message is fetched")
            } else {
                wanted.append(entry)
            }
        }
        queue = wanted.reversed()
        isListed = true
    }

    /// Known, and not to be deleted. What is to be deleted and is still there is fetched again and recognised.
    private func isToStay(_ place: DeliveredPlace, isTooLarge: Bool) -> Bool {
        isTooLarge || (!place.isRefusedUnseen && access.after(isFiled: place.isFiled) == .keep)
    }

    /// R5: a name that was used before, and is used again for something of another size, is another message.
    private func isSame(_ place: DeliveredPlace, _ listed: POP3Listing.Entry) -> Bool {
        guard let before = place.announcedBytes, let size = listed.size else { return true }
        return before == Int64(clamping: size)
    }

    private func lookUp(_ listing: POP3Listing) throws(FetchError) {
        do {
            let listed = Set(listing.entries.compactMap(\.uidl))
            var departed: [String] = []
            for place in try surroundings.ledger.deliveredPlaces(in: access.name, beginningWith: "") {
                if listed.contains(place.place) || place.place.hasPrefix(Self.digestMark) {
                    known[place.place] = place
                } else {
                    departed.append(place.place)
                }
            }
            if !departed.isEmpty { try surroundings.ledger.noteDeparted(departed, in: access.name) }
        } catch {
            throw FetchError(.spool, during: "looking up what was delivered before", "\(error)", underlying: error)
        }
    }

    // MARK: Fetching

    private func request(from session: POP3Session) {
        sendDeletions(to: session)
        let limit = session.has("PIPELINING") ? Self.maxPipelined : 1
        var asked: UInt64 = 0
        for case .message(let entry) in replies { asked += entry.listed.size ?? 0 }
        while replies.count < limit, asked < Self.windowBytes, let entry = queue.popLast() {
            // What broke a line before is asked for alone.
            if entry.attempts > 0, !replies.isEmpty {
                queue.append(entry)
                break
            }
            session.submit(
                "\(entry.isHeaderOnly ? "TOP" : "RETR") \(entry.listed.number)\(entry.isHeaderOnly ? " 0" : "")")
            replies.append(.message(entry))
            asked += entry.listed.size ?? 0
            if entry.attempts > 0 { break }
        }
    }

    private func sendDeletions(to session: POP3Session) {
        let isPipelined = session.has("PIPELINING")
        while !unsentDeletions.isEmpty, isPipelined ? replies.count < 4 * Self.maxPipelined : replies.isEmpty {
            let place = unsentDeletions.removeLast()
            guard let number = numbers[place] else {
                deletions.remove(place)  // not there any more
                continue
            }
            session.submit("DELE \(number)")
            replies.append(.deletion(place: place))
        }
    }

    private func takeReply(from session: POP3Session) throws(FetchError) {
        let status = try session.status()
        if let whole = unverified.take() { ready.append(whole.message) }
        guard let reply = replies.first else { return }
        switch reply {
        case .noop: break
        case .deletion(let place):
            if !status.isOK {
                deletions.remove(place)
                if refusal == nil { refusal = Self.refusal(status, during: "DELE") }
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

    private func take(
        _ entry: Entry, _ status: POP3Session.Status, from session: POP3Session
    ) throws(FetchError) {
        guard status.isOK else {
            if let hint = ServerHint(said: status.text), hint.code == .throttled {
                throw Self.refusal(status, during: "RETR")
            }
            guard entry.isHeaderOnly else { return fail(entry, status.text) }
            return try give(entry, POP3Body.nothing(in: surroundings.spool))
        }
        let body = POP3Body(isDiscarding ? nil : surroundings.spool, maxBytes: access.maxMessageBytes)
        try body.begin()
        try session.body { bytes throws(FetchError) in try body.append(bytes) }
        if isDiscarding { return }
        guard let spooled = body.finish() else { return fail(entry, "it is larger than announced") }
        try give(entry, spooled)
    }

    static let digestMark = "sha256:"

    private func give(_ entry: Entry, _ spooled: SpooledMessage) throws(FetchError) {
        let place = entry.listed.uidl ?? Self.digestMark + spooled.digest.hex
        if entry.listed.uidl == nil, let known = known[place], isToStay(known, isTooLarge: false) {
            return spooled.discard()
        }
        if entry.listed.uidl == nil { numbers[place] = entry.listed.number }
        if let uidl = entry.listed.uidl { given.insert(uidl) }
        if entry.isHeaderOnly { refused.insert(place) }
        fruitless = 0
        let handover = SpooledHandover(spooled)
        let message = PendingMessage(
            reference: reference(entry, place: place), expectedBytes: entry.listed.size.map { Int64(clamping: $0) },
            refusal: entry.isHeaderOnly ? .tooLarge(entry.listed.size ?? 0, limit: access.maxMessageBytes) : nil
        ) { _ in try handover.take() }
        let isAsAnnounced = entry.isHeaderOnly || entry.listed.size.map { Int64(clamping: $0) == spooled.size } ?? true
        if isAsAnnounced { ready.append(message) } else { unverified = (message, entry.listed.uidl) }
    }

    private func fail(_ entry: Entry, _ problem: String) {
        if let uidl = entry.listed.uidl { given.insert(uidl) }
        let error = FetchError(.messageUnavailable, during: "fetching", problem)
        let place = entry.listed.uidl ?? "message \(entry.listed.number)"
        ready.append(PendingMessage(reference: reference(entry, place: place)) { _ in throw error })
    }

    private func reference(_ entry: Entry, place: String) -> SourceReference {
        SourceReference(
            mailbox: access.name, place: place, announcedBytes: entry.listed.size.map { Int64(clamping: $0) })
    }
}
