internal import FundCore

/// A logged-in line, whatever is spoken on it.
protocol MailSession: AnyObject {
    /// An answer was begun and not read to its end: the connection is of no use.
    var isMidAnswer: Bool { get }
    /// Something that the server said waits to be read.
    var hasBufferedBytes: Bool { get }
    /// When the run is over: waits end with `runLimit` then. Nil: never.
    var runEnd: ContinuousClock.Instant? { get set }
    /// From now on a cancellation does not end waits, but nothing may take longer than this.
    func hurry(_ limit: Duration)
}

/// The line to a mailbox, and how it is doing.
struct MailboxLine<Session: MailSession> {
    var session: Session?
    /// A line that drops after that is worth another one.
    var hasConnected = false
    /// Lines that dropped one after the other without a message between them.
    var fruitless = 0
    /// When the run is over; nil: never.
    var runEnd: ContinuousClock.Instant? { didSet { session?.runEnd = runEnd } }
}

/// Fetching from one mailbox over as many connections as it takes: what is the same for all protocols. Used by one thread at a time.
protocol MailboxFetching: AnyObject {
    associatedtype Session: MailSession

    var access: MailboxAccess { get }
    var surroundings: MailboxSurroundings { get }
    var line: MailboxLine<Session> { get set }

    /// Begins a session on a line where we are logged in, and makes ready for what was under way when the last one dropped.
    func begin(on channel: CurlChannel) throws(FetchError) -> Session
    /// The next message that is here.
    func takeReady() -> PendingMessage?
    /// Messages of this run that were not as announced, and were taken in all the same.
    var sizeMismatches: Int { get set }
    /// Some were looked at again in this run.
    var didPauseBeforeSecondLooks: Bool { get set }
    /// Asks for messages and takes one answer. False when there is nothing more in the mailbox.
    func advance(on session: Session) throws(FetchError) -> Bool
    /// The session is gone: what was under way is put back. `isBlamed`: the message that was being received may be the reason.
    func lineDropped(isBlamed: Bool)
}

/// What is borne from a server before a message, or the server, is given up.
enum FetchPatience {
    /// Lines that drop one after the other without a message between them.
    static let maxFruitlessConnections = 3
    /// How often a message is tried that ends the line each time.
    static let maxAttempts = 3
    /// Messages that end the line each time, after which the server is taken to be broken.
    static let maxPoisonous = 10
    /// Refusals one after the other, without a message between them, after which those in doubt are left until the others came.
    static let maxRefusalsBeforeOthers = 10
    /// The same, after which no more is asked for in this run. More than one flight of POP3.
    static let maxRefusals = 256
    /// A message that turns out to be so many times larger than allowed is not read to its end, and that ends the connection.
    static let maxExcess: UInt64 = 4

    static let notAskedFor = "not asked for in this run, since the server gave none of the \(maxRefusals) before it"

    /// What is said of messages that are left for the next run.
    static func tooSlow(_ received: UInt64) -> String {
        "the server is too slow: in the time for one message only \(received) bytes come"
    }
}

/// Messages that a server knows and does not give: it says no to each.
struct FetchRefusals {
    /// Since a message came.
    private var inRow = 0
    /// Anything came in this run.
    private(set) var hasCome = false

    mutating func noteRefused() { inRow += 1 }
    mutating func noteCame() { (inRow, hasCome) = (0, true) }

    /// Those that were refused together are asked for one by one only when all others came.
    var areOthersFirst: Bool { inRow > FetchPatience.maxRefusalsBeforeOthers }
    /// Nothing more is asked for in this run.
    var areTooMany: Bool { inRow >= FetchPatience.maxRefusals }
}

extension MailboxFetching {
    /// The next message; nil at the end of the mailbox, and when cancelled.
    func next() throws(FetchError) -> PendingMessage? {
        if line.runEnd == nil, let limit = access.runLimit { line.runEnd = .now + limit }
        while true {
            if let message = takeReady() { return message }
            if surroundings.cancellation.isCancelled { return nil }
            do throws(FetchError) {
                try ByteReader.check(line.runEnd)
                guard try advance(on: connected()) else { return nil }
            } catch {
                if error.code == .cancelled {
                    if line.session?.isMidAnswer ?? false { drop() }
                    return nil
                }
                try recover(from: error)
            }
        }
    }

    /// Repeats `step` while there is something to be said to the server. False when it was left unsaid since the run is cancelled;
    /// nothing is lost then: those messages come again and are recognised.
    func tell(
        while isUnsaid: () -> Bool, _ step: (Session) throws(FetchError) -> Void
    ) throws(FetchError) -> Bool {
        // A run that is over may still say what is durable here, over a new connection if need be.
        let grace = ContinuousClock.now + access.deadlines.login + access.deadlines.response
        line.runEnd = line.runEnd.map { max($0, grace) }
        defer { line.runEnd = nil }
        var end: ContinuousClock.Instant?
        while isUnsaid() {
            guard mayGoOn(until: &end) else { return false }
            do throws(FetchError) {
                try step(connected())
            } catch {
                if error.code == .cancelled { continue }
                if surroundings.cancellation.isCancelled { return false }
                guard error.endsConnection else {
                    if line.session?.isMidAnswer ?? false { drop() }
                    throw error
                }
                try recover(from: error)
            }
        }
        return true
    }

    /// When cancelled, only over a connection that is in order, and not for long.
    private func mayGoOn(until end: inout ContinuousClock.Instant?) -> Bool {
        guard surroundings.cancellation.isCancelled else { return true }
        guard let session = line.session, !session.isMidAnswer else { return false }
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
        _ = surroundings.cancellation.sleep(for: access.deadlines.secondLook)
    }

    /// To be called at the end of a run.
    func tellSizeMismatches() {
        if sizeMismatches > 0 { surroundings.onNotice(.sizeMismatch(count: sizeMismatches)) }
        (sizeMismatches, didPauseBeforeSecondLooks) = (0, false)
    }

    // MARK: The line

    var login: CurlLogin {
        CurlLogin(
            address: access.address, credentials: access.credentials, tls: access.tls, deadlines: access.deadlines,
            cancellation: surroundings.cancellation, transcript: access.transcript)
    }

    func connected() throws(FetchError) -> Session {
        if let session = line.session { return session }
        let session = try begin(on: login.open())
        line.session = session
        line.hasConnected = true
        return session
    }

    func drop(isBlamed: Bool = false) {
        line.session = nil
        lineDropped(isBlamed: isBlamed)
    }

    /// Gives up a connection that is of no use and makes ready for the next one. Throws when there should be none.
    private func recover(from error: FetchError) throws(FetchError) {
        let isWorthAnother =
            error.endsConnection || [.messageUnavailable, .unreachable, .inUse].contains(error.code)
        guard isWorthAnother, line.hasConnected else {
            if !error.isRefusal { drop() }
            throw error
        }
        drop(isBlamed: true)
        line.fruitless += 1
        if line.fruitless > FetchPatience.maxFruitlessConnections { throw error }
        surroundings.onNotice(.reconnecting(error.code))
        let pause = Duration.milliseconds(100) * (1 << (2 * line.fruitless))
        guard surroundings.cancellation.sleep(for: pause) else {
            throw FetchError(.cancelled, during: "connecting again")
        }
    }
}
