internal import MailConnection

/// Limits for what a server may say in an IDLE. Each message that others mark or remove is a response, so that some ten
/// thousand at once are no flood; a server that goes on costs no more than a little of a processor, and is left in the
/// end.
private struct IdleTalk {
    /// Responses that are read as fast as they come.
    static let freeResponses = 10_000
    /// Responses behind those after which a pause follows: 2,000 a second.
    static let responsesBetweenPauses = 100
    static let pause = Duration.milliseconds(50)
    /// After DONE the server owes one line. More than these is no remainder of a burst.
    static let responsesAfterDone = 50_000

    private var count = 0
    private var afterDone = 0

    var isFlood: Bool { count > Self.freeResponses }
    var isEndless: Bool { afterDone > Self.responsesAfterDone }

    /// Whether a pause is due after this response.
    mutating func note(isDone: Bool) -> Bool {
        if isDone { afterDone += 1 } else { count += 1 }
        return !isDone && isFlood && count % Self.responsesBetweenPauses == 0
    }
}

extension IMAPSession {
    /// Waits in IDLE (RFC 2177) until `isNews` is true of an event or until `end`; false when there was none. Throws
    /// `cancelled` when cancelled, after the server was told.
    func idle(
        until end: ContinuousClock.Instant, _ cancellation: Cancellation, farewell: Duration,
        isNews: (IMAPResponse) throws(ConnectionError) -> Bool
    ) throws(ConnectionError) -> Bool {
        let tag = submit("IDLE")
        let begin = ContinuousClock.now
        var doneAt: ContinuousClock.Instant?
        var hasNews = false
        var talk = IdleTalk()
        while true {
            if cancellation.isCancelled, doneAt == nil {
                // A server that never stops is not told.
                if talk.isFlood {
                    isFlooded = true
                    throw ConnectionError(.cancelled, during: "waiting for mail")
                }
                hurry(farewell)
                sendDone()
                doneAt = .now
            }
            let event: IMAPResponse?
            do throws(ConnectionError) {
                event = doneAt != nil ? try next() : try next(within: max(end - .now, .milliseconds(1)))
            } catch {
                if error.code == .cancelled, !isMidAnswer { continue }
                throw error
            }
            if case .tagged(tag, let status) = event {
                _ = try Self.checked(status, during: "IDLE")
                if cancellation.isCancelled { throw ConnectionError(.cancelled, during: "waiting for mail") }
                if doneAt == nil, !hasNews, .now - begin < deadlines.shortestIdle {
                    throw ConnectionError(.commandRefused, during: "IDLE", "the server ends it by itself")
                }
                return hasNews
            }
            if talk.note(isDone: doneAt != nil) { _ = cancellation.sleep(for: IdleTalk.pause) }
            if let doneAt, talk.isEndless || .now - doneAt > deadlines.response {
                isFlooded = true
                throw ConnectionError(.timedOut, during: "IDLE", "the server talks on and on")
            }
            if let event, try isNews(event) { hasNews = true }
            // At `end` also when events keep coming.
            if doneAt == nil, hasNews || event == nil || .now >= end {
                sendDone()
                doneAt = .now
            }
        }
    }
}
