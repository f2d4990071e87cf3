extension FolderSync {
    /// Interval of looks without any sign of a change, since a sign can be lost.
    private static let pulse = Duration.seconds(300)
    /// Interval while something failed or waits.
    private static let shortPulse = Duration.seconds(30)

    private static let watchBackoff = Backoff(first: .seconds(2), most: .seconds(60))

    /// Brings both sides in step, and again whenever one of them changes, until its task is cancelled.
    ///
    /// Throws what does not pass by itself: `unauthenticated`, `forbidden`, `local` and the like; and `cancelled`.
    /// - Parameter ended: told after each run; nil when it failed and is tried again.
    public func watch(
        _ watcher: any FolderWatching, report: @escaping @Sendable (SyncEvent) -> Void = { _ in },
        ended: @escaping @Sendable (SyncSummary?, ClientError?) -> Void = { _, _ in }
    ) async throws(ClientError) {
        let (signs, sign) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (root, remote) = (folder.root, remote)
        let local = Task { for await _ in watcher.changes(in: root) { sign.yield() } }
        let server = Task {
            var failures = 0
            // The first run sets from where on there are news.
            try await Task.sleep(for: .seconds(1))
            while !Task.isCancelled {
                do {
                    try await remote.waitForNews()
                    sign.yield()
                    failures = 0
                } catch { failures += 1 }
                try await Task.sleep(for: failures == 0 ? .seconds(1) : Self.watchBackoff.delay(after: failures))
            }
        }
        defer {
            local.cancel()
            server.cancel()
        }
        var failures = 0
        var iterator = signs.makeAsyncIterator()
        while !Task.isCancelled {
            var pause = Self.pulse
            do throws(ClientError) {
                let summary = try await run(report: report)
                failures = 0
                if !summary.isInStep { pause = summary.isWaiting ? options.settleTime : Self.shortPulse }
                ended(summary, nil)
            } catch {
                guard error.mayPass else { throw error }
                failures += 1
                ended(nil, error)
                // Signs do not help while the server cannot be reached.
                try await sleep(Self.watchBackoff.delay(after: failures, asked: error.retryAfter))
                continue
            }
            let wait = pause
            let timer = Task {
                try await Task.sleep(for: wait)
                sign.yield()
            }
            _ = await iterator.next()
            timer.cancel()
            // A program seldom writes one file only.
            try await sleep(min(options.settleTime, .seconds(1)))
        }
        throw ClientError(.cancelled, "cancelled")
    }

    private func sleep(_ time: Duration) async throws(ClientError) {
        do { try await Task.sleep(for: time) } catch { throw ClientError(.cancelled, "cancelled") }
    }
}
