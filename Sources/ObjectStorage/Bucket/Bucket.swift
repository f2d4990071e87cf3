internal import FundCore
package import MailConnection
internal import Synchronization

/// A bucket of an S3-compatible object store. For any thread; blocks. Each request is bounded in time, and sent again
/// where that may help.
package final class Bucket: Sendable {
    /// The parts of the surroundings that tests replace.
    package struct Surroundings: Sendable {
        /// Waits; false when it was cancelled meanwhile.
        package var pause: @Sendable (Duration, Cancellation) -> Bool
        /// Servers that are dialled in the place of some: `host:port:host:port`.
        package var substitutes: [String] = []

        package init() { pause = { $1.sleep(for: $0) } }
    }

    package let address: BucketAddress
    /// Abilities that a probe found; without them nothing is asked of the store that some stores lack.
    package let abilities: StoreAbilities
    private let keys: AccessKeySource
    private let patience: RequestPatience
    private let cancellation: Cancellation
    private let surroundings: Surroundings
    private let state: Mutex<State>

    /// A session that no thread uses, with the key of its signatures.
    ///
    /// `@unchecked`: it stands either in the list of the bucket or with one caller.
    private struct Session: @unchecked Sendable {
        let session: WebSession
        let key: SigningKey
        /// Whether it has a connection from before, which may be dead.
        var wasUsed = false
    }

    private struct State {
        var key: SigningKey
        var idle: [Session] = []
        /// The failure after which requests fail at once, see `RequestPatience.rest`.
        var outage: (failure: ObjectStorageError, end: ContinuousClock.Instant)?
    }

    /// Connections that wait for another request; more are closed after their request.
    private static let keptSessions = 16
    /// Longest body of an answer: a whole segment, or a page of a listing.
    static let maxAnswerBytes = 80 << 20

    /// Reads the key, and connects to nothing. Throws `noKey`.
    package init(
        _ address: BucketAddress, keys: AccessKeySource, abilities: StoreAbilities = StoreAbilities(),
        patience: RequestPatience = .background, cancellation: Cancellation = Cancellation(),
        surroundings: Surroundings = Surroundings()
    ) throws(ObjectStorageError) {
        (self.address, self.keys, self.abilities, self.patience) = (address, keys, abilities, patience)
        (self.cancellation, self.surroundings) = (cancellation, surroundings)
        state = Mutex(State(key: try keys.read()))
    }

    /// A copy of the bucket with the abilities that a probe found.
    package func with(_ abilities: StoreAbilities) throws(ObjectStorageError) -> Bucket {
        try Bucket(
            address, keys: keys, abilities: abilities, patience: patience, cancellation: cancellation,
            surroundings: surroundings)
    }

    /// A copy of the bucket without abilities and without a second attempt.
    /// - Parameter key: signs its requests; nil for the same key.
    func forOneAttempt(key: SigningKey? = nil) throws(ObjectStorageError) -> Bucket {
        var patience = patience
        patience.attempts = 1
        return try Bucket(
            address, keys: key.map(AccessKeySource.init) ?? keys, patience: patience, cancellation: cancellation,
            surroundings: surroundings)
    }

    /// Makes the bucket. Nothing happens where it is there and belongs to the key. Throws `exists` where it belongs to
    /// another.
    package func make() throws(ObjectStorageError) {
        let place =
            "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><LocationConstraint>"
            + "\(address.region)</LocationConstraint></CreateBucketConfiguration>"
        // The first region of AWS, whose name stores without regions expect, may not be named.
        let body = address.region == BucketAddress.usualRegion ? nil : Array(place.utf8)
        let request = ObjectRequest(
            "PUT", nil, fields: body == nil ? [] : [("Content-Type", "application/xml")], body: body,
            operation: "make the bucket \(address.bucket)")
        do throws(ObjectStorageError) { _ = try perform(request) { _ in } } catch {
            guard error.name == "BucketAlreadyOwnedByYou" else { throw error }
        }
    }

    /// The key as it is.
    var key: SigningKey { state.withLock(\.key) }

    /// Sends a request until it succeeds, or another attempt would not help or not end in time.
    ///
    /// - Parameter read: makes a value of an answer of success. An answer that it finds damaged is asked for again.
    /// - Returns: the value, and whether an attempt before had failed, which may have changed the store.
    func perform<Value>(
        _ request: ObjectRequest, _ read: (WebAnswer) throws(ObjectStorageError) -> Value
    ) throws(ObjectStorageError) -> (value: Value, wasRepeated: Bool) {
        if let outage = state.withLock(\.outage), ContinuousClock.now < outage.end { throw outage.failure }
        do throws(ObjectStorageError) { return try performNow(request, read) } catch {
            if error.canRunAgain, error.code != .damaged, patience.rest > .zero {
                state.withLock { $0.outage = (error, .now + patience.rest) }
            }
            throw error
        }
    }

    private func performNow<Value>(
        _ request: ObjectRequest, _ read: (WebAnswer) throws(ObjectStorageError) -> Value
    ) throws(ObjectStorageError) -> (value: Value, wasRepeated: Bool) {
        let deadline = ContinuousClock.now + patience.whole
        var (backoff, attempt, hasNewKey) = (Backoff(), 1, false)
        while true {
            let isOldConnection: Bool
            let failure: ObjectStorageError
            let session = try takeSession(request.operation)
            isOldConnection = session.wasUsed
            do throws(ObjectStorageError) {
                let answer = try answer(to: request, by: session, until: deadline)
                if let failure = ObjectStorageError(
                    answer, request.operation, without: session.key, at: .now)
                {
                    throw failure
                }
                guard Self.isWhole(answer, to: request) else {
                    throw ObjectStorageError(.lost, request.operation, "the connection ended within the answer")
                }
                return (try read(answer), attempt > 1)
            } catch {
                failure = error
            }
            if failure.code == .refused, !hasNewKey, try readKey(after: session.key) {
                // A key that ended was replaced in its file.
                hasNewKey = true
                continue
            }
            guard failure.canRunAgain, attempt < patience.attempts else { throw failure }
            attempt += 1
            // A connection that waited may have been closed by the store meanwhile.
            if failure.code == .lost, isOldConnection { continue }
            let pause = backoff.pause(after: failure)
            guard ContinuousClock.now + pause < deadline else { throw failure }
            guard surroundings.pause(pause, cancellation) else {
                throw ObjectStorageError(.cancelled, request.operation, "it was cancelled")
            }
        }
    }

    /// Whether the head of an answer came to its end: libcurl 7.88 takes one that was cut off for an empty answer.
    private static func isWhole(_ answer: WebAnswer, to request: ObjectRequest) -> Bool {
        guard ["GET", "HEAD"].contains(request.method) else { return true }
        if answer.fields["transfer-encoding"] != nil { return true }
        guard let length = answer.fields["content-length"].flatMap({ Int($0) }) else { return false }
        return request.method == "HEAD" || length == answer.body.count
    }

    /// The failure that an answer of success has in its body.
    func failure(
        in document: AnswerDocument, of answer: WebAnswer, _ operation: String
    ) -> ObjectStorageError? {
        ObjectStorageError(body: document, of: answer, operation, without: key, at: .now)
    }

    private func answer(
        to request: ObjectRequest, by session: Session, until deadline: ContinuousClock.Instant
    ) throws(ObjectStorageError) -> WebAnswer {
        let sent = request.request(to: address, token: session.key.sessionToken)
        do throws(ConnectionError) {
            let answer = try session.session.answer(to: sent, within: max(deadline - .now, .milliseconds(1)))
            giveBack(session)
            return answer
        } catch {
            // The session goes, and with it its connection.
            throw ObjectStorageError(error, request.operation)
        }
    }

    private func takeSession(_ operation: String) throws(ObjectStorageError) -> Session {
        let (idle, key) = state.withLock { ($0.idle.popLast(), $0.key) }
        if let idle { return idle }
        var limits = WebLimits(maxBodyBytes: Self.maxAnswerBytes)
        (limits.connect, limits.stall) = (patience.connect, patience.stall)
        do throws(ConnectionError) {
            let session = try WebSession(
                signedBy: key, service: "s3", region: address.region, caFile: address.caFile, limits: limits,
                substitutes: surroundings.substitutes, cancellation: cancellation)
            return Session(session: session, key: key)
        } catch {
            throw ObjectStorageError(error, operation)
        }
    }

    private func giveBack(_ session: Session) {
        var session = session
        session.wasUsed = true
        let given = session
        state.withLock { state in
            if given.key == state.key, state.idle.count < Self.keptSessions { state.idle.append(given) }
        }
    }

    /// Reads the key again. False where it is the one that was refused.
    private func readKey(after refused: SigningKey) throws(ObjectStorageError) -> Bool {
        let key = try keys.read()
        return state.withLock { state in
            if state.key != key { (state.key, state.idle) = (key, []) }
            return key != refused
        }
    }
}
