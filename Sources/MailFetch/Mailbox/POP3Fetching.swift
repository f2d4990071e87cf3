internal import FundCore

/// The state of fetching from one POP3 mailbox, over as many connections as it takes. Used by one thread at a time.
final class POP3Fetching: MailboxFetching {
    struct Entry {
        var listed: POP3Listing.Entry
        /// Too large: only the header, to say whose it is.
        var isHeaderOnly = false
        /// How often the line broke on it.
        var attempts = 0
    }

    /// What the server said of the size of a message that had a name.
    ///
    /// QUIRK: some servers call messages by their numbers, and delete even when the line drops: then another message has the name
    /// of one that is here already. The size tells, most of the time.
    struct AnnouncedSize {
        /// Nil when it says nothing about what has the name now.
        var bytes: UInt64?

        /// Whether what is listed under the name now can be the same message.
        func fits(_ listed: POP3Listing.Entry) -> Bool {
            guard let bytes, let size = listed.size else { return true }
            return bytes == size
        }
    }

    /// What the next answers are to.
    enum Reply {
        case message(Entry)
        case deletion(POP3Place)
        case noop
    }

    let access: MailboxAccess
    let surroundings: MailboxSurroundings

    var line = MailboxLine<POP3Session>()
    /// In this run.
    var isListed = false
    /// Messages that nobody waits for any more go nowhere.
    var isDiscarding = false
    var queue: [Entry] = []  // the next one is the last
    var replies: [Reply] = []
    var ready: [PendingMessage] = []
    /// Whole, but not of the announced size: the next answer shows whether the server's framing holds.
    /// Without a message when it is to be looked at again.
    var unverified: (message: PendingMessage?, name: POP3Listing.Name)?
    /// What came of messages that were not as announced; they are asked for once more.
    var secondLooks: Set<POP3Listing.Name> = []
    /// What is where in this session, for the deletions.
    var listed: [POP3Place: POP3Listing.Entry] = [:]
    /// Handed over in this run, or given up; the size is known where all of it was to come.
    var given: [POP3Listing.Name: AnnouncedSize] = [:]
    /// Recorded by their header alone: they stay on the server.
    var refused: Set<POP3Place> = []
    /// Delivered by earlier runs.
    var known: [POP3Place: DeliveredPlace] = [:]
    /// Larger than the server says, as far as they were read before the line was given up.
    var excess: [POP3Listing.Name: UInt64] = [:]
    var attempts: [POP3Listing.Name: Int] = [:]
    /// As many bytes of one message come in the time that it may take; nil: nothing took too long so far.
    var largestInTime: UInt64?
    /// Messages that ended the line each time, and were given up.
    var poisonous = 0
    var refusals = FetchRefusals()
    var sizeMismatches = 0
    var didPauseBeforeSecondLooks = false

    /// Durable here and to be deleted there; confirmed only by QUIT.
    var deletions: [POP3Place: AnnouncedSize] = [:]
    var unsentDeletions: [POP3Place] = []
    /// The first; the messages stay on the server and are recognised when they come again.
    var refusal: FetchError?

    /// Messages that were to be fetched in this run, and those of them that are durable here; nil before the first listing.
    var wantedCount: Int?
    private var acknowledged: Set<String> = []

    init(_ access: MailboxAccess, _ surroundings: MailboxSurroundings) {
        self.access = access
        self.surroundings = surroundings
    }

    // MARK: What the source does

    func takeReady() -> PendingMessage? { ready.isEmpty ? nil : ready.removeFirst() }

    func advance(on session: POP3Session) throws(FetchError) -> Bool {
        request(from: session)
        if replies.isEmpty { return !ready.isEmpty }
        try takeReply(from: session)
        return true
    }

    /// Another message is here, or its beginning is.
    var hasMore: Bool { !ready.isEmpty || line.session?.hasBufferedBytes ?? false }

    func acknowledge(_ messages: [StoredMessage]) {
        for message in messages {
            let reference = message.message.reference
            acknowledged.insert(reference.place)
            guard access.after(isFiled: message.isFiled) == .delete, let place = POP3Place(reference.place),
                !refused.contains(place), !reference.hasSizeMismatch
            else { continue }
            let size = AnnouncedSize(bytes: reference.announcedBytes.map { UInt64(clamping: $0) })
            if deletions.updateValue(size, forKey: place) == nil { unsentDeletions.append(place) }
        }
    }

    func finish() throws(FetchError) {
        isDiscarding = true
        defer { endRun() }
        ready = []
        tellSizeMismatches()
        let isSaid = try tell(while: { line.session != nil || !deletions.isEmpty }) { session throws(FetchError) in
            queue = []
            sendDeletions(to: session)
            while !replies.isEmpty { try takeReply(from: session) }
            try quit(session)
        }
        if isSaid, let refusal { throw refusal }
    }

    private func endRun() {
        (isDiscarding, isListed, refusal) = (false, false, nil)
        line = MailboxLine()
        (queue, replies, ready, unverified, unsentDeletions) = ([], [], [], nil, [])
        (listed, given, refused, known, deletions) = ([:], [:], [], [:], [:])
        (attempts, excess, poisonous, largestInTime, secondLooks) = ([:], [:], 0, nil, [])
        refusals = FetchRefusals()
    }

    // MARK: What waits

    /// POP3 does not say when a message came.
    var waitingMail: WaitingMail? { wantedCount.map { WaitingMail(count: max(0, $0 - acknowledged.count)) } }

    func noteWaiting(_ count: Int) { (wantedCount, acknowledged) = (count, []) }

    // MARK: Lines

    func begin(on channel: CurlChannel) throws(FetchError) -> POP3Session {
        let session = POP3Session(channel: channel, deadlines: access.deadlines, transcript: access.transcript)
        session.runEnd = line.runEnd
        try session.learnCapabilities()
        try session.acceptUTF8()
        try list(on: session)
        return session
    }

    /// The mailbox is listed anew over the next connection; the message at which the line dropped is counted.
    func lineDropped(isBlamed: Bool) {
        unsentDeletions = Array(deletions.keys)
        var suspect = replies.lazy.compactMap { reply in
            if case .message(let entry) = reply { entry.listed.name } else { nil }
        }.first
        if let unverified {
            // Nothing came after it.
            suspect = unverified.name
            given[unverified.name] = nil
        }
        (replies, queue, unverified) = ([], [], nil)
        // A number may mean another message now.
        secondLooks = secondLooks.filter { if case .uidl = $0 { true } else { false } }
        if isBlamed, let suspect { attempts[suspect, default: 0] += 1 }
    }

    /// RFC 1939 §6: only now does the server delete, and it may still fail.
    private func quit(_ session: POP3Session) throws(FetchError) {
        session.submit("QUIT")
        let status = try session.status()
        line.session = nil
        deletions = [:]
        if !status.isOK, refusal == nil { refusal = Self.refusal(status, during: "QUIT") }
    }

    static func refusal(_ status: POP3Session.Status, during operation: String) -> FetchError {
        let hint = ServerHint(said: status.text)
        return FetchError(
            hint?.code ?? .commandRefused, during: operation, status.text, retryAfter: hint?.retryAfter)
    }
}
