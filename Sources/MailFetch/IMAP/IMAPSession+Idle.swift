extension IMAPSession {
    /// Waits in IDLE (RFC 2177) until something is news, or until then; false when nothing was. Throws `cancelled` when cancelled,
    /// after it told the server.
    func idle(
        until end: ContinuousClock.Instant, _ cancellation: Cancellation, farewell: Duration,
        isNews: (Event) throws(FetchError) -> Bool
    ) throws(FetchError) -> Bool {
        let tag = submit("IDLE")
        var isDone = false
        var hasNews = false
        while true {
            if cancellation.isCancelled, !isDone {
                hurry(farewell)
                sendDone()
                isDone = true
            }
            let event: Event?
            do throws(FetchError) {
                event = isDone ? try next() : try next(within: max(end - .now, .milliseconds(1)))
            } catch {
                if error.code == .cancelled, !isMidAnswer { continue }
                throw error
            }
            if case .completed(tag, let status) = event {
                _ = try Self.checked(status, during: "IDLE")
                if cancellation.isCancelled { throw FetchError(.cancelled, during: "waiting for mail") }
                return hasNews
            }
            if let event, try isNews(event) { hasNews = true }
            if !isDone, hasNews || event == nil {
                sendDone()
                isDone = true
            }
        }
    }
}
