internal import FundCore
internal import MailConnection

/// Hands letters over by one route, for the process that has the lease, until it is cancelled.
struct RelayRun {
    /// Longest time between two looks: a clock that was set changes when letters are due.
    private static let longestWait = Duration.seconds(5)
    /// Time after which the connection is closed when no letter is due. Servers close it themselves some minutes later.
    private static let longestIdleTime = Duration.seconds(10)

    private let parts: RelayParts
    private let route: RelayRoute
    private let cancellation: Cancellation
    private let connection: RelayConnection
    private var backoff = Backoff()
    /// The result that the store does not have yet.
    private var unnoted: (letter: OutboxLetter.ID, outcome: OutboxResult)?
    /// Time at which the next letter is due, as this pass found it; nil when none waits, and once letters were taken:
    /// what became of them is a commit, after which the next pass asks.
    private var nextDue: Timestamp?
    /// Whether the letter of the last failure says already why it waits.
    private var isSaid = false
    /// The letter at which a connection broke that was not fresh.
    private var lastUndone: OutboxLetter.ID?
    /// The words of the pause before; nil since a letter went out.
    private var lastWords: String?
    /// The reason why letters could not be queued at the look before; nil for none.
    private var notQueued: String?

    init(_ parts: RelayParts, _ route: RelayRoute, _ cancellation: Cancellation) {
        (self.parts, self.route, self.cancellation) = (parts, route, cancellation)
        connection = RelayConnection(route, cancellation)
    }

    /// A failure for which the relay pauses.
    private enum Failure {
        case store(any Error)
        case server(any Error)

        var error: any Error {
            switch self {
            case .store(let error), .server(let error): error
            }
        }
    }

    /// Runs until cancelled.
    mutating func run() async {
        while !cancellation.isCancelled {
            let known = parts.wake.count
            if let failure = await handOver() {
                await pause(after: failure)
            } else if !cancellation.isCancelled {
                await wait(after: known)
            }
        }
        await end()
    }

    /// Hands over what is due now.
    ///
    /// - Returns: the reason why it did not go on, in words for people; nil when all went out.
    mutating func runOnce() async -> String? {
        var words: String?
        if let failure = await handOver(), !isEnding(failure) {
            words = route.advice(failure.error)
            await note(failure, pause: backoff.pause(after: failure.error))
        }
        await end()
        return words
    }

    private mutating func end() async {
        await connection.close()
        // Without it the letter is uncertain for the next relay.
        try? await settle()
    }

    // MARK: Letters

    /// Hands over all letters that are due.
    private mutating func handOver() async -> Failure? {
        nextDue = nil
        do {
            try await settle()
            await queueDue()
            guard try await isDue() else {
                // A failure that was there before is in the way of no letter now.
                lastWords = nil
                parts.board.set(.ready)
                return nil
            }
            nextDue = nil
            while !cancellation.isCancelled {
                if await !connection.isOpen {
                    // While it connects no letter is marked as being sent: that takes time, and may fail.
                    try await settle()
                    do { try await connection.open() } catch { return .server(error) }
                    parts.board.note(maxMessageBytes: await connection.maxMessageBytes)
                }
                let result = unnoted
                guard let letter = try await parts.register.nextLetter(after: result, now: .now) else {
                    unnoted = nil
                    return nil
                }
                unnoted = nil
                if let failure = await handOver(letter) { return failure }
            }
            try await settle()
            return nil
        } catch {
            return .store(error)
        }
    }

    /// Queues what time makes due. A failure holds no other letter up, and is told once.
    private mutating func queueDue() async {
        do {
            try await parts.queueDue()
            notQueued = nil
        } catch {
            let words = route.advice(error)
            if words != notQueued { parts.observe(.notQueued(words: words)) }
            notQueued = words
        }
    }

    private mutating func isDue() async throws -> Bool {
        let now = Timestamp.now
        nextDue = try await parts.register.nextDue(now: now)
        return nextDue.map { $0 <= now } ?? false
    }

    /// Notes the result that the store does not have yet.
    private mutating func settle() async throws {
        guard let result = unnoted else { return }
        try await parts.register.note(result.outcome, of: result.letter, now: .now)
        unnoted = nil
    }

    private mutating func handOver(_ letter: OutboxLetter) async -> Failure? {
        switch await attempt(letter) {
        case .ended(let result, let hasReply):
            finish(letter, result)
            if hasReply { recover() }
            return nil
        case .undone(let words):
            lastUndone = letter.id
            finish(letter, .postponed(words, until: .now))
            await connection.close()
            return nil
        case .failed(let result, let error):
            finish(letter, result)
            return .server(error)
        case .refused(let error):
            // It waits as before, also when the relay ends now.
            unnoted = (letter.id, .postponed(route.advice(error), until: .now))
            isSaid = true
            return .server(error)
        }
    }

    private mutating func finish(_ letter: OutboxLetter, _ result: OutboxResult) {
        unnoted = (letter.id, result)
        parts.board.count(result)
        parts.observe(.letter(letter, result))
    }

    private func attempt(_ letter: OutboxLetter) async -> LetterAttempt {
        let (data, sender, recipient): (MessageData, OutgoingAddress?, OutgoingAddress)
        do {
            switch try await parts.composer.compose(letter, from: route.sender) {
            case .dropped(let reason): return .ended(.dropped(reason), hasReply: false)
            case .message(var message):
                if let id = MessageID("\(letter.mark)@\(route.sender.address.domain)") { message.messageID = id }
                data = try MessageWriter.data(of: message)
                (sender, recipient) = (nil, try OutgoingAddress(letter.recipient, field: "the recipient"))
            case .written(let message, let envelope):
                data = try MessageWriter.data(of: message)
                (sender, recipient) = (envelope.returnPath, envelope.recipient)
            }
        } catch let error as MessageError {
            return .ended(.failed("The letter cannot be written: \(error)."), hasReply: false)
        } catch {
            return .ended(.deferred("The letter cannot be written now: \(route.advice(error))"), hasReply: false)
        }
        if let limit = await connection.maxMessageBytes, data.size > limit {
            let words = "The letter has \(data.size) bytes, and the server takes at most \(limit)."
            return .ended(.failed(words), hasReply: false)
        }
        let isFresh = await connection.isFresh
        let mayBeOld = !isFresh && lastUndone != letter.id
        do {
            return LetterAttempt(try await connection.send(data, from: sender, to: recipient), mayBeOld: mayBeOld)
        } catch {
            return LetterAttempt(error, mayBeOld: mayBeOld, words: route.advice)
        }
    }

    // MARK: Pauses

    /// The server decided about a letter.
    private mutating func recover() {
        backoff.reset()
        if lastWords != nil { parts.observe(.resumed) }
        lastWords = nil
        parts.board.set(.ready)
    }

    /// The connection failed since it was told to end.
    private func isEnding(_ failure: Failure) -> Bool {
        guard case .server(let error) = failure else { return false }
        return cancellation.isCancelled || (error as? ConnectionError)?.code == .cancelled
    }

    private mutating func pause(after failure: Failure) async {
        guard !isEnding(failure) else { return }
        let pause = backoff.pause(after: failure.error)
        await note(failure, pause: pause)
        await connection.close()
        await cancellation.pause(for: pause)
    }

    /// Says why no letter goes out: at the letter that would be next, to the log, and to health.
    private mutating func note(_ failure: Failure, pause: Duration) async {
        let words = route.advice(failure.error)
        if case .server = failure {
            do {
                try await settle()
                if !isSaid { try await parts.register.noteWait(words, now: .now) }
            } catch {
                // A result that was not noted is noted before the next letter, and the next pause says why it waits.
            }
            isSaid = false
        }
        parts.board.pause(words, until: .now + pause)
        parts.observe(.paused(words: words, pause: pause, isKnown: words == lastWords))
        lastWords = words
    }

    /// Waits until letters may be due.
    private mutating func wait(after known: Int) async {
        var time = Self.longestWait
        if let nextDue { time = min(time, max(nextDue - .now, .milliseconds(100))) }
        if await connection.isOpen {
            let left = Self.longestIdleTime - (await connection.idleTime)
            if left > .zero { time = min(time, left) } else { await connection.close() }
        }
        await parts.wake.wait(after: known, atMost: time)
    }
}
