internal import Foundation
internal import GRDB

/// Keeps a catalogue as the server is: in pages what it does not know yet, then what happens. Each page and the cursor
/// behind it are one transaction, so that it goes on where it was whatever ends it, and several processes may do it.
public struct CatalogueSync: Sendable {
    /// The most that the server gives in one page.
    private static let pageSize = 500

    let catalogue: Catalogue
    private var feed: any ChangeFeed
    var backoff = Backoff(first: .seconds(1), most: .seconds(60))

    /// - Parameters:
    ///   - catalogue: that is kept as the server is.
    ///   - feed: a session.
    public init(of catalogue: Catalogue, from feed: any ChangeFeed) { (self.catalogue, self.feed) = (catalogue, feed) }

    /// Result of a run so far.
    public struct Progress: Sendable, Hashable {
        /// Changes that were taken in.
        public var changeCount = 0
        /// Pages, each with up to 500 changes.
        public var pageCount = 0
        /// The server asked to begin anew.
        public var restartCount = 0
    }

    /// Takes in all that changed until now. The first time that is everything there is.
    /// - Parameter onPage: is told after each page.
    @discardableResult
    public func catchUp(
        onPage: @Sendable (Progress) -> Void = { _ in }
    ) async throws(ClientError) -> Progress {
        var progress = Progress()
        while true {
            if Task.isCancelled { throw ClientError(.cancelled, "cancelled") }
            let standing = try await catalogue.standing()
            let page: ChangePage
            do throws(ClientError) {
                page = try await feed.changes(since: standing.cursor, withItems: true, limit: Self.pageSize)
                if let told = page.history, let known = standing.history, told != known {
                    throw ClientError(.outdated, "the server goes on from an earlier state")
                }
            } catch {
                guard error.code == .outdated, progress.restartCount < 3 else { throw error }
                try await beginAnew(standing)
                progress.restartCount += 1
                continue
            }
            let isTaken = try await take(page, at: standing)
            guard isTaken else { continue }
            progress.changeCount += page.changes.count
            progress.pageCount += 1
            onPage(progress)
            if !page.hasMore { return progress }
        }
    }

    /// Catches up, then takes in what happens as it happens, until its task is cancelled. A connection that is lost is
    /// made again.
    /// - Parameter onNews: is told when the catalogue has changed, or was found to be as the server is.
    /// - Throws: what another try does not mend: `unauthenticated`, `certificate`, `local` …
    public func follow(onNews: @escaping @Sendable () async -> Void = {}) async throws(ClientError) {
        var (failures, once) = (0, self)
        once.feed = feed.withoutRetries()
        while !Task.isCancelled {
            var asked: Duration?
            do throws(ClientError) {
                try await once.catchUp()
                await onNews()
                failures = 0
                try await once.listen(onNews: onNews)
            } catch {
                guard error.isWorthRetrying else { throw error }
                asked = error.retryAfter
            }
            failures += 1
            try? await Task.sleep(for: backoff.delay(after: failures, asked: asked))
        }
        throw ClientError(.cancelled, "cancelled")
    }

    /// One connection for events, to its end. An event says that there is news; what, a page says.
    private func listen(onNews: @escaping @Sendable () async -> Void) async throws(ClientError) {
        let events = feed.events(since: try await catalogue.standing().cursor)
        let (news, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { signal.finish() }
                    for try await _ in events { signal.yield() }
                }
                group.addTask {
                    for await _ in news {
                        try await catchUp()
                        await onNews()
                    }
                }
                try await group.waitForAll()
            }
        } catch {
            throw ClientError(local: error)
        }
    }

    /// Writes a page. False when another process took one in since the page was asked for.
    private func take(_ page: ChangePage, at standing: Catalogue.Standing) async throws(ClientError) -> Bool {
        try await catalogue.database.write { db in
            let now = try Catalogue.Standing(db)
            guard now.cursor == standing.cursor, now.round == standing.round else { return false }
            let writer = CatalogueWriter(db: db, round: now.round)
            for change in page.changes { try writer.apply(change) }
            if !page.hasMore {
                if !now.isComplete { try writer.removeUnseen() }
                try db.execute(
                    sql: "UPDATE feed SET is_complete = 1, caught_up_at = ?", arguments: [Date().column])
            }
            try db.execute(
                sql: "UPDATE feed SET cursor = ?, history = ?", arguments: [page.cursor.value, page.history])
            return true
        }
    }

    /// Begins a new round; the rows stay readable until all was told again.
    private func beginAnew(_ standing: Catalogue.Standing) async throws(ClientError) {
        try await catalogue.database.write { db in
            let now = try Catalogue.Standing(db)
            guard now.cursor == standing.cursor, now.round == standing.round else { return }
            try db.execute(sql: "UPDATE feed SET cursor = 0, round = round + 1, is_complete = 0, history = NULL")
        }
    }
}
