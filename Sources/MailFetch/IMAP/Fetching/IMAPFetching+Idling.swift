internal import MailConnection

/// Between two runs: waiting for new mail on the same connection.
extension IMAPFetching {
    var canIdle: Bool { connection.session?.has("IDLE") ?? false && !isIdleBroken }

    func waitForMail(atMost time: Duration, idling: Bool) throws(ConnectionError) -> MailboxWait {
        let end = ContinuousClock.now + time
        do throws(ConnectionError) {
            let session = try connected()
            guard idling, session.has("IDLE"), !isIdleBroken else {
                guard services.cancellation.sleep(for: time) else { return .cancelled }
                // Servers tell of new messages only between commands: the listing itself would still miss them.
                try session.run("NOOP", heed)
                return .nothing
            }
            while .now < end {
                var hasNews = session.exists > accounted
                if !hasNews {
                    let renewal = min(end, .now + access.deadlines.idlePeriod)
                    hasNews = try session.idle(
                        until: renewal, services.cancellation, farewell: access.deadlines.farewell
                    ) { event throws(ConnectionError) in try isNews(event) }
                }
                if hasNews {
                    listing = .newer
                    return .newMail
                }
            }
            return .nothing
        } catch {
            if error.code == .cancelled {
                if let session = connection.session, session.isMidAnswer || session.isFlooded { drop() }
                return .cancelled
            }
            if error.isRefusal, !isIdleBroken {
                isIdleBroken = true
                return .nothing
            }
            drop()
            throw error
        }
    }

    private func isNews(_ event: IMAPResponse) throws(ConnectionError) -> Bool {
        if case .exists(let count) = event { return count > accounted }
        try take(event)
        return false
    }
}
