internal import Dispatch
import FundCore
internal import Synchronization

/// Keeps the full-text index up to date with the feed of changes.
package final class SearchIndex: Sendable {
    private static let maxCatchUp = 200

    private let connection: StoreConnection
    private let catchUpTime: Duration
    let texts: TextSource
    /// There is one at a time: other callers wait for it meanwhile.
    private let batches = SingleFlight<String, Int>()
    /// Batches of changes and of texts one after the other: the later one knows what the earlier one has written.
    private let mutex = ResourcePool([true])
    /// Documents that were taken apart for the index.
    let indexedDocuments = Atomic<Int>(0)
    /// Taking documents apart works for long without a pause: on a thread of its own.
    let queue = DispatchQueue(label: "fundmail.store.index", qos: .utility)

    /// A search waits up to `catchUpTime` for what came in just now.
    init(connection: StoreConnection, texts: TextSource, catchUpTime: Duration) {
        (self.connection, self.texts, self.catchUpTime) = (connection, texts, catchUpTime)
    }

    /// Takes up to `limit` changes into the index, in the order in which they were made, and gives how many are left,
    /// counting no further than `limit`. To be called until nothing is left, and again after other commits.
    /// A call while another's batch runs waits for its end and gets its result.
    ///
    /// The texts are read in one short transaction and taken apart outside of any, on a thread of its own; only the
    /// words are written under the write lock, for milliseconds.
    @discardableResult
    package func indexPending(atMost limit: Int = 100) async throws -> Int {
        try await batches.run("changes") { [self] in
            _ = try await mutex.acquire()
            defer { mutex.release(true) }
            return try await indexBatch(atMost: max(limit, 1))
        }
    }

    private func indexBatch(atMost limit: Int) async throws -> Int {
        let batch = try await queue.run { [self] in
            var batch = try connection.read("read what is to be indexed") { try IndexBatch.next($0, limit: limit) }
            indexedDocuments.add(batch.sourceCount, ordering: .relaxed)
            batch.takeApart(texts.text)
            return batch
        }
        guard !batch.isEmpty else { return 0 }
        try await connection.writing("index for search", on: connection.queues.changes) {
            try batch.store($0)
        }
        return try await backlog(atMost: limit)
    }

    /// Takes texts that were read in files since the last call into the index, and gives how many. To be called until
    /// there are none.
    @discardableResult
    package func indexTexts() async throws -> Int {
        try await batches.run("texts") { [self] in
            _ = try await mutex.acquire()
            defer { mutex.release(true) }
            return try await indexTextBatch()
        }
    }

    private func indexTextBatch() async throws -> Int {
        let (found, documents) = try await queue.run { [self] in
            let found = try texts.unindexed(Self.maxTexts)
            let sources = try connection.read("read what is to be indexed") { db in
                try Set(found.map(\.content)).flatMap { content in
                    let files: [FileEntry.ID] = try db.values(
                        "SELECT file.id FROM file JOIN blob ON blob.id = file.blob_id WHERE blob.digest = ?", [content])
                    return try files.compactMap { try SearchSource(db, .file($0)) }
                }
            }
            return (found, sources.map { (change: $0.change, document: SearchDocument($0, texts.text)) })
        }
        guard !found.isEmpty else { return 0 }
        let isWhole = try await connection.writing("index for search", on: connection.queues.changes) { db in
            var isWhole = true
            for (change, document) in documents {
                // A file that was renamed or moved meanwhile is indexed by another batch, or here the next time.
                let now = try SearchSource.change(of: document.item, db)
                if now == change { try document.store(db) } else { isWhole = false }
            }
            return isWhole
        }
        if isWhole { try await queue.run { [texts] in try texts.noteIndexed(found) } }
        return found.count
    }

    /// Limit of texts of one transaction.
    private static let maxTexts = 20

    /// Changes that are not in the index yet; counted no further than `limit`.
    package func backlog(atMost limit: Int = 100_000) async throws -> Int {
        try await connection.reading("count what is to be indexed") { db in
            try db.value(
                """
                SELECT count(*) FROM (SELECT 1 FROM feed \(SQL.thenJoin) change ON change.user_id = feed.user_id
                    AND change.seq > feed.indexed WHERE feed.last > feed.indexed LIMIT ?) AS few
                """, [limit]) ?? 0
        }
    }

    /// Indexes what came in just now, if it is little and no other process writes for long; else answers are older.
    func catchUp() async {
        guard await isAlmostIndexed() else { return }
        let (end, ending) = AsyncStream.makeStream(of: Never.self)
        Task {
            while await isAlmostIndexed(), (try? await indexPending(atMost: Self.maxCatchUp)) != nil {}
            ending.finish()
        }
        // No group of tasks: it would wait for its slowest.
        let clock = Task {
            try? await Task.sleep(for: catchUpTime)
            ending.finish()
        }
        for await _ in end {}
        clock.cancel()
    }

    /// Whether something is left, and little.
    private func isAlmostIndexed() async -> Bool {
        let pending = try? await backlog(atMost: Self.maxCatchUp + 1)
        return (1...Self.maxCatchUp).contains(pending ?? 0)
    }
}

/// Texts of files, as the index asks for them.
struct TextSource: Sendable {
    var text: FileTexts
    /// Texts that are not in the index yet, up to a limit.
    var unindexed: @Sendable (_ limit: Int) throws -> [RenditionKey]
    var noteIndexed: @Sendable ([RenditionKey]) throws -> Void
}
