extension IMAPSession {
    /// Waits in IDLE (RFC 2177) until `isNews` is true of an event or until `end`; false when there was none. Throws
    /// `cancelled` when cancelled, after the server was told.
    func idle(
        until end: ContinuousClock.Instant, _ cancellation: Cancellation, farewell: Duration,
        isNews: (IMAPResponse) throws(FetchError) -> Bool
    ) throws(FetchError) -> Bool {
        let tag = submit("IDLE")
        let begin = ContinuousClock.now
        var doneAt: ContinuousClock.Instant?
        var hasNews = false
        while true {
            if cancellation.isCancelled, doneAt == nil {
                hurry(farewell)
                sendDone()
                doneAt = .now
            }
            let event: IMAPResponse?
            do throws(FetchError) {
                event = doneAt != nil ? try next() : try next(within: max(end - .now, .milliseconds(1)))
            } catch {
                if error.code == .cancelled, !isMidAnswer { continue }
                throw error
            }
            if case .tagged(tag, let status) = event {
                _ = try Self.checked(status, during: "IDLE")
                if cancellation.isCancelled { throw FetchError(.cancelled, during: "waiting for mail") }
                if doneAt == nil, !hasNews, .now - begin < deadlines.shortestIdle {
                    throw FetchError(.commandRefused, during: "IDLE", "the server ends it by itself")
                }
                return hasNews
            }
            if let doneAt, .now - doneAt > deadlines.response {
                throw FetchError(.timedOut, during: "IDLE", "the server talks on and on")
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
