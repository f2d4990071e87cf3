internal import MailConnection
internal import FundCore

/// Fetching from one POP3 mailbox, over as many connections as needed. Used by one thread at a time.
final class POP3Fetching: MailboxFetching {
    struct Entry {
        var listed: POP3Listing.Entry
        /// Too large: only the header is fetched, to find the sender.
        var isHeaderOnly = false
        /// How often the connection was lost while it came.
        var attempts = 0
    }

    /// Size that the server announced for a message, by its name.
    ///
    /// QUIRK: some servers use message numbers as UIDLs, and delete even when the connection is lost: then another
    /// message has the name of one that is here already. The size tells them apart, most of the time.
    struct AnnouncedSize {
        /// Nil when the size says nothing about the message that has the name now.
        var bytes: UInt64?

        /// Whether what is listed under the name now can be the same message.
        func fits(_ listed: POP3Listing.Entry) -> Bool {
            guard let bytes, let size = listed.size else { return true }
            return bytes == size
        }
    }

    /// The command that an answer belongs to.
    enum Reply {
        case message(Entry)
        case deletion(POP3Place)
        case noop
    }

    let access: MailboxAccess
    let services: MailboxServices

    var connection = MailboxConnection<POP3Session>()
    /// In this run.
    var isListed = false
    /// Bytes of messages are dropped: the run does not want them any more.
    var isDiscarding = false
    var queue: [Entry] = []  // the next one is the last
    var replies: [Reply] = []
    var ready: [PendingMessage] = []
    /// Complete, but not of the announced size: the next answer shows whether its end is right. Nil: asked for again.
    var unverified: (message: PendingMessage?, name: POP3Listing.Name)?
    /// Messages that were not as announced and are asked for once more.
    var secondLooks: Set<POP3Listing.Name> = []
    /// The messages of this session by place, for the deletions.
    var listed: [POP3Place: POP3Listing.Entry] = [:]
    /// Handed over in this run, or given up; the size is known where all of it was to come.
    var given: [POP3Listing.Name: AnnouncedSize] = [:]
    /// Recorded by their header only: they stay on the server.
    var refused: Set<POP3Place> = []
    /// Delivered by earlier runs.
    var known: [POP3Place: DeliveredPlace] = [:]
    /// Bytes that were read of messages larger than announced before the connection was given up.
    var excess: [POP3Listing.Name: UInt64] = [:]
    var attempts: [POP3Listing.Name: Int] = [:]
    /// Bytes that come in the time that one message may take; nil: no message took too long so far.
    var largestInTime: UInt64?
    /// Messages given up since the connection ended each time.
    var poisonous = 0
    var refusals = FetchRefusals()
    /// Messages in the mailbox, known ones too.
    var messageCount = 0
    var sizeMismatches = 0
    var didPauseBeforeSecondLooks = false

    /// Durable here and to be deleted there; confirmed only by QUIT.
    var deletions: [POP3Place: AnnouncedSize] = [:]
    var unsentDeletions: [POP3Place] = []
    /// The first; the messages stay on the server and are recognised when they come again.
    var refusal: ConnectionError?

    /// Messages to be fetched in this run, and those of them durable here; nil before the first listing.
    var wantedCount: Int?
    private var acknowledged: Set<String> = []

    /// Throws `badConfiguration` when messages are to be moved or flagged: POP3 can only delete or keep.
    init(_ access: MailboxAccess, _ services: MailboxServices) throws(ConnectionError) {
        guard access.afters.isSubset(of: [.delete, .keep]) else {
            throw ConnectionError(.badConfiguration, during: "opening the mailbox", "POP3 can only delete or keep")
        }
        self.access = access
        self.services = services
    }

    // MARK: What the source does

    func takeReady() -> PendingMessage? {
        guard !ready.isEmpty else { return nil }
        var message = ready.removeFirst()
        message.left = queue.count + replies.count + ready.count
        return message
    }

    func advance(on session: POP3Session) throws(ConnectionError) -> Bool {
        request(from: session)
        if replies.isEmpty {
            if ready.isEmpty, let verdict = refusals.verdict(onMailboxOf: messageCount) { throw verdict }
            return !ready.isEmpty
        }
        try takeReply(from: session)
        return true
    }

    var hasMore: Bool { !ready.isEmpty || connection.session?.hasBufferedBytes ?? false }

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

    func finish() throws(ConnectionError) {
        isDiscarding = true
        defer { endRun() }
        ready = []
        tellSizeMismatches()
        let isSaid = try tell(while: { connection.session != nil || !deletions.isEmpty }) {
            session throws(ConnectionError) in
            queue = []
            sendDeletions(to: session)
            while !replies.isEmpty { try takeReply(from: session) }
            try quit(session)
        }
        if isSaid, let refusal { throw refusal }
    }

    private func endRun() {
        (isDiscarding, isListed, refusal) = (false, false, nil)
        connection = MailboxConnection()
        (queue, replies, ready, unverified, unsentDeletions) = ([], [], [], nil, [])
        (listed, given, refused, known, deletions) = ([:], [:], [], [:], [:])
        (attempts, excess, poisonous, largestInTime, secondLooks) = ([:], [:], 0, nil, [])
        refusals = FetchRefusals()
    }

    // MARK: What waits

    /// POP3 does not say when a message came.
    var waitingMail: WaitingMail? { wantedCount.map { WaitingMail(count: max(0, $0 - acknowledged.count)) } }

    func noteWaiting(_ count: Int) { (wantedCount, acknowledged) = (count, []) }

    // MARK: Between two runs

    var canIdle: Bool { false }

    func waitForMail(atMost time: Duration, idling: Bool) -> MailboxWait {
        services.cancellation.sleep(for: time) ? .nothing : .cancelled
    }

    /// `finish` has logged out: only that makes deletions count (RFC 1939 §6).
    func close() {}

    // MARK: Connections

    func begin(on channel: CurlChannel) throws(ConnectionError) -> POP3Session {
        let session = POP3Session(channel: channel, deadlines: access.deadlines, transcript: access.transcript)
        session.runEnd = connection.runEnd
        try session.learnCapabilities()
        try session.acceptUTF8()
        try list(on: session)
        return session
    }

    /// The mailbox is listed anew over the next connection; the message at which the line dropped is counted.
    func connectionLost(isBlamed: Bool) {
        unsentDeletions = Array(deletions.keys)
        var suspect = replies.lazy.compactMap { reply in
            if case .message(let entry) = reply { entry.listed.name } else { nil }
        }.first
        if let unverified {
            // The connection was lost before the next answer.
            suspect = unverified.name
            given[unverified.name] = nil
        }
        (replies, queue, unverified) = ([], [], nil)
        // A number may mean another message now.
        secondLooks = secondLooks.filter { if case .uidl = $0 { true } else { false } }
        if isBlamed, let suspect { attempts[suspect, default: 0] += 1 }
    }

    /// RFC 1939 §6: only now does the server delete, and it may still fail.
    private func quit(_ session: POP3Session) throws(ConnectionError) {
        session.submit("QUIT")
        let status = try session.status()
        connection.session = nil
        deletions = [:]
        if !status.isOK, refusal == nil { refusal = ConnectionError(refusal: status.text, during: "QUIT") }
    }
}
