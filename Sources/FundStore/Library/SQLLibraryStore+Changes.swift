package import FundCore

extension SQLLibraryStore {
    package func changes(
        of user: User.ID, after cursor: ChangeCursor?, limit: Int, withItems: Bool
    ) async throws -> ChangePage {
        try await viewing("read what changed", of: user) { view in
            try ChangeList(view: view, limit: min(max(limit, 1), 1000)).page(after: cursor, withItems: withItems)
        }
    }

    package func latestChange(of user: User.ID) async throws -> ChangeCursor {
        try await viewing("read the latest change", of: user) { view in
            ChangeCursor(epoch: try ChangeEpochs.current(view.db), number: try ChangeFeed.last(of: user, view.db))
        }
    }

    /// Begins an epoch of the feed, see `ChangeEpochs`, and a history where the store goes on from an earlier state,
    /// see `StoreHistory`. It is called once for each start of a server, before anything is changed. Opening has begun
    /// a history where the log is ahead of the database, or does so here.
    package func beginChangeEpoch() async throws {
        try await connection.queues.changes.run { [connection, log] in
            try StoreError.wrapping("compare the log with the database") { try log.lookAgain() }
            try connection.write("begin an epoch of changes") { db in
                try StoreHistory.beginIfCopy(db)
                try ChangeEpochs.begin(db)
            }
        }
    }

    package func dataVersion() throws -> Int64 { try version.value { _ in try connection.version() } }

    package var commits: Signal {
        connection.watchCommits()
        return connection.commits
    }

    package func latestChanges() async throws -> LatestChanges {
        try await connection.reading("see whose libraries changed") { try ChangeFeed.latest($0) }
    }

    /// The item that was indexed latest comes first, which is as good as by time: ranking by frequency would have to
    /// look at every match, and a common word matches everything.
    package func search(_ query: SearchQuery, of user: User.ID) async throws -> ListPage<SearchHit> {
        let cursor = try query.cursor.map(SearchPage.cursor)
        await index.catchUp()
        let texts = index.texts.text
        return try await searching("search", of: user) { view in
            if let fund = query.fund { _ = try view.fund(fund) }
            let expression = SearchExpression(query.text, of: user, fund: query.fund, kind: query.kind)
            let filter = SearchFilter(query)
            var page = try SearchPage(view: view, limit: query.limit, cursor: cursor).fetch(expression) { candidates in
                try view.hits(candidates, filter)
            }
            var excerpts = HitExcerpts(view: view, question: query.text, texts: texts)
            for index in page.items.indices {
                try excerpts.add(to: &page.items[index])
            }
            return page
        }
    }
}
