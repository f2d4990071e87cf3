/// A server that ends an IDLE sooner does not know what it is for.
private let shortestIdle = Duration.seconds(1)

extension IMAPSession {
    /// Waits in IDLE (RFC 2177) until something is news, or until then; false when nothing was. Throws `cancelled` when cancelled,
    /// after it told the server.
    func idle(
        until end: ContinuousClock.Instant, _ cancellation: Cancellation, farewell: Duration,
        isNews: (Event) throws(FetchError) -> Bool
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
            let event: Event?
            do throws(FetchError) {
                event = doneAt != nil ? try next() : try next(within: max(end - .now, .milliseconds(1)))
            } catch {
                if error.code == .cancelled, !isMidAnswer { continue }
                throw error
            }
            if case .completed(tag, let status) = event {
                _ = try Self.checked(status, during: "IDLE")
                if cancellation.isCancelled { throw FetchError(.cancelled, during: "waiting for mail") }
                if doneAt == nil, !hasNews, .now - begin < shortestIdle {
                    // It would be asked again at once, and again.
                    throw FetchError(.commandRefused, during: "IDLE", "the server ends it by itself")
                }
                return hasNews
            }
            if let doneAt, .now - doneAt > deadlines.response {
                throw FetchError(.timedOut, during: "IDLE", "the server talks on and on")
            }
            if let event, try isNews(event) { hasNews = true }
            // A server that never falls silent is told, too, and not listened to for ever.
            if doneAt == nil, hasNews || event == nil || .now >= end {
                sendDone()
                doneAt = .now
            }
        }
    }
}
