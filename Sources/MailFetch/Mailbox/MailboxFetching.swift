internal import MailConnection
internal import FundCore

/// A protocol spoken on a `ByteChannel`.
protocol MailSession: AnyObject {
    init(channel: any ByteChannel, deadlines: FetchDeadlines, transcript: Transcript?)
    var bytes: ByteReader { get }
    /// An answer was begun and not read to its end: the connection is of no use.
    var isMidAnswer: Bool { get }
    /// From now on a cancellation does not end waits, but no answer may take longer than `limit`.
    func hurry(_ limit: Duration)
    /// Findings in the mailbox that `access` names, which stays as it is. Logs out.
    func findings(_ access: MailboxAccess) throws(ConnectionError) -> MailboxFindings
}

extension MailSession {
    /// Bytes of the server have come and are not read yet.
    var hasBufferedBytes: Bool { bytes.hasBuffered }

    /// When the run is over: waits end with `runLimit` then. Nil: never.
    var runEnd: ContinuousClock.Instant? {
        get { bytes.runEnd }
        set { bytes.runEnd = newValue }
    }
}

/// The connection to a mailbox and its state.
struct MailboxConnection<Session: MailSession> {
    var session: Session?
    /// A connection was made, in this run or an earlier one: one that is lost after that is worth another one.
    var hasConnected = false
    /// Connections lost in a row without a message between them.
    var fruitless = 0
    /// When the run is over; nil: never.
    var runEnd: ContinuousClock.Instant? { didSet { session?.runEnd = runEnd } }
}

/// The part of fetching that protocols share: over as many connections as needed. Used by one thread at a time.
protocol MailboxFetching: AnyObject {
    associatedtype Session: MailSession

    var access: MailboxAccess { get }
    var services: MailboxServices { get }
    var connection: MailboxConnection<Session> { get set }

    /// Begins a session on a logged-in connection, and prepares to go on where the last one was lost.
    func begin(on channel: CurlChannel) throws(ConnectionError) -> Session
    /// The next message that has come.
    func takeReady() -> PendingMessage?
    /// Messages of this run that were not as announced, and were taken in all the same.
    var sizeMismatches: Int { get set }
    /// The pause before messages are asked for again was made in this run.
    var didPauseBeforeSecondLooks: Bool { get set }
    /// Asks for messages and takes one answer. False when there is nothing more in the mailbox.
    func advance(on session: Session) throws(ConnectionError) -> Bool
    /// The session is gone: puts back what was under way. `isBlamed`: what was being received may be the reason.
    func connectionLost(isBlamed: Bool)

    // Calls of `ServerMailbox` beside `next`.

    /// Another message has come, or its beginning.
    var hasMore: Bool { get }
    func acknowledge(_ messages: [StoredMessage])
    func finish() throws(ConnectionError)
    var canIdle: Bool { get }
    func waitForMail(atMost time: Duration, idling: Bool) throws(ConnectionError) -> MailboxWait
    var waitingMail: WaitingMail? { get }
    func close()
}

extension MailboxFetching {
    /// The next message; nil at the end of the mailbox, and when cancelled.
    func next() throws(ConnectionError) -> PendingMessage? {
        if connection.runEnd == nil, let limit = access.runLimit { connection.runEnd = .now + limit }
        while true {
            if let message = takeReady() { return message }
            if services.cancellation.isCancelled { return nil }
            do throws(ConnectionError) {
                try ByteReader.check(connection.runEnd)
                guard try advance(on: connected()) else { return nil }
            } catch {
                if error.code == .cancelled {
                    if connection.session?.isMidAnswer ?? false { drop() }
                    return nil
                }
                try recover(from: error)
            }
        }
    }

    /// Repeats `step` while the server is to be told something. False when that was given up since the run is
    /// cancelled; nothing is lost then: those messages come again and are recognised.
    func tell(while isUnsaid: () -> Bool, _ step: (Session) throws(ConnectionError) -> Void) throws(ConnectionError)
        -> Bool
    {
        // A run that is over may still tell the server what is durable here, over a new connection if need be.
        let grace = ContinuousClock.now + access.deadlines.connection.login + access.deadlines.response
        connection.runEnd = connection.runEnd.map { max($0, grace) }
        defer { (connection.runEnd, connection.fruitless) = (nil, 0) }
        var end: ContinuousClock.Instant?
        while isUnsaid() {
            guard mayGoOn(until: &end) else { return false }
            do throws(ConnectionError) {
                try step(connected())
            } catch {
                if error.code == .cancelled { continue }
                if services.cancellation.isCancelled { return false }
                guard error.endsConnection else {
                    if connection.session?.isMidAnswer ?? false { drop() }
                    throw error
                }
                try recover(from: error)
            }
        }
        return true
    }

    /// When cancelled, only over a connection that is in order, and for a short time.
    private func mayGoOn(until end: inout ContinuousClock.Instant?) -> Bool {
        guard services.cancellation.isCancelled else { return true }
        guard let session = connection.session, !session.isMidAnswer else { return false }
        session.hurry(access.deadlines.farewell)
        let limit = end ?? .now + access.deadlines.farewell
        end = limit
        return .now < limit
    }

    // MARK: Sizes

    /// A server that could not read a message a moment ago gets a little time, once in a run.
    func pauseBeforeSecondLooks() {
        guard !didPauseBeforeSecondLooks else { return }
        didPauseBeforeSecondLooks = true
        _ = services.cancellation.sleep(for: access.deadlines.secondLook)
    }

    /// To be called at the end of a run.
    func tellSizeMismatches() {
        if sizeMismatches > 0 { services.onNotice(.sizeMismatch(count: sizeMismatches)) }
        (sizeMismatches, didPauseBeforeSecondLooks) = (0, false)
    }

    // MARK: The line

    var login: CurlLogin { access.login(services.cancellation) }

    func connected() throws(ConnectionError) -> Session {
        if let session = connection.session { return session }
        var login = login
        // Its text costs a connection a millisecond.
        login.keepsCertificate = true
        let channel = try login.open()
        if let expiry = channel.certificateExpiry { services.onCertificate(expiry) }
        let session = try begin(on: channel)
        connection.session = session
        connection.hasConnected = true
        return session
    }

    func drop(isBlamed: Bool = false) {
        connection.session = nil
        connectionLost(isBlamed: isBlamed)
    }

    /// Drops a connection that cannot be used and prepares for the next one. Throws when there should be none.
    private func recover(from error: ConnectionError) throws(ConnectionError) {
        let isWorthAnother = error.endsConnection || [.messageUnavailable, .unreachable, .inUse].contains(error.code)
        guard isWorthAnother, connection.hasConnected else {
            if !error.isRefusal { drop() }
            throw error
        }
        drop(isBlamed: true)
        connection.fruitless += 1
        if connection.fruitless > FetchPatience.maxFruitlessConnections { throw error }
        services.onNotice(.reconnecting(error.code))
        let pause = access.deadlines.reconnecting * (1 << (2 * connection.fruitless))
        guard services.cancellation.sleep(for: pause) else {
            throw ConnectionError(.cancelled, during: "connecting again")
        }
    }
}

/// Where a message is that was delivered before.
enum DeliveredPlaceState<Place> {
    case there(Place), departed
}

extension DeliveryLedger {
    /// Returns what was delivered from `mailbox` and is still there; notes what departed.
    /// `whereabouts`: nil for what is no place of this protocol, which is passed over.
    func delivered<Place: Hashable>(
        in mailbox: String, _ whereabouts: (String) -> DeliveredPlaceState<Place>?
    ) throws(ConnectionError) -> [Place: DeliveredPlace] {
        do {
            let places = try deliveredPlaces(in: mailbox)
            var known: [Place: DeliveredPlace] = [:]
            known.reserveCapacity(places.count)
            var departed: [String] = []
            for delivered in places {
                switch whereabouts(delivered.place) {
                case .there(let place): known[place] = delivered
                case .departed: departed.append(delivered.place)
                case nil: break
                }
            }
            if !departed.isEmpty { try noteDeparted(departed, in: mailbox) }
            return known
        } catch {
            throw .store(error, during: "looking up what was delivered before")
        }
    }
}
