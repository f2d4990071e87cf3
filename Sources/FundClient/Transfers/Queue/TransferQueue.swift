internal import Foundation
internal import GRDB
internal import Synchronization

/// The downloads and uploads of an account, in the order in which they are to happen. It outlives every process; a
/// `TransferRunner`, in this process or another, does the work. All calls may be made from any process at any time.
public final class TransferQueue: Sendable {
    let database: ClientDatabase
    let progressBoard = ProgressBoard()
    private let listeners = Listeners()
    /// Marks of the batches that this process waits for.
    private let batchMarks = Mutex<[TransferBatch: ProcessMark]>([:])

    /// - Parameter catalogue: of the account.
    public init(of catalogue: Catalogue) { database = catalogue.database }

    /// Adds downloads and uploads behind the others of their priority. What the queue has already, and is not done
    /// with, is not added again.
    /// - Parameters:
    ///   - priority: the higher comes first.
    ///   - batch: to which they belong from now on. What has the same names here and there goes on then, also when it
    ///     was paused, waits for another attempt, or failed.
    /// - Returns: their numbers, in the same order.
    @discardableResult
    public func add(
        _ works: [Transfer.Work], priority: Int = 0, batch: TransferBatch? = nil
    ) async throws(ClientError) -> [TransferID] {
        if let batch { try hold(batch) }
        let marks = marks
        let ids = try await database.write { db in
            var position = try Int64.fetchOne(db, sql: "SELECT max(position) FROM transfer") ?? 0
            return try works.map { work in
                if let batch, let known = try KnownTransfer(resuming: work, for: batch, marks: marks, db) {
                    try known.take(work, batch, db)
                    return known.id
                }
                if batch == nil, let known = try KnownTransfer(of: work, db) { return known.id }
                position += 1
                return try TransferRow.insert(work, priority: priority, position: position, batch, db)
            }
        }
        wake()
        return ids
    }

    /// Says to other processes that this one waits for a batch.
    private func hold(_ batch: TransferBatch) throws(ClientError) {
        let marks = marks
        try batchMarks.withLock { held throws(ClientError) in
            if held[batch] == nil { held[batch] = try ProcessMark(in: marks, named: batch.name) }
        }
    }

    /// Gives up waiting for a batch.
    func leave(_ batch: TransferBatch) { batchMarks.withLock { _ = $0.removeValue(forKey: batch) } }

    /// Adds a download, see `add(_:priority:batch:)`.
    @discardableResult
    public func add(_ download: Download, priority: Int = 0) async throws(ClientError) -> TransferID {
        try await one(.download(download), priority)
    }

    /// Adds an upload, see `add(_:priority:batch:)`.
    @discardableResult
    public func add(_ upload: Upload, priority: Int = 0) async throws(ClientError) -> TransferID {
        try await one(.upload(upload), priority)
    }

    private func one(_ work: Transfer.Work, _ priority: Int) async throws(ClientError) -> TransferID {
        let ids = try await add([work], priority: priority)
        guard let id = ids.first else { throw ClientError(.local, "the queue took nothing") }
        return id
    }

    /// Transfers in the order in which they are to happen.
    /// - Parameter states: all unless given.
    public func transfers(in states: Set<Transfer.State>? = nil) async throws(ClientError) -> [Transfer] {
        try await transfers(in: states, of: nil)
    }

    /// - Parameter batch: only those of it; nil for all.
    func transfers(
        in states: Set<Transfer.State>?, of batch: TransferBatch?
    ) async throws(ClientError) -> [Transfer] {
        let names = (states ?? Set(Transfer.State.allCases)).map(\.rawValue)
        return try await database.read { db in
            let places = names.map { _ in "?" }.joined(separator: ", ")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM transfer WHERE state IN (\(places)) \(batch == nil ? "" : "AND batch = ?")
                    ORDER BY state IN ('done', 'failed', 'cancelled'), priority DESC, position, id
                    """, arguments: StatementArguments(names + (batch.map { [$0.name] } ?? []))
            ).map { try TransferRow(row: $0).transfer }
        }
    }

    /// Nil where there is none.
    public func transfer(_ id: TransferID) async throws(ClientError) -> Transfer? {
        try await row(id)?.transfer
    }

    func row(_ id: TransferID) async throws(ClientError) -> TransferRow? {
        try await database.read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM transfer WHERE id = ?", arguments: [id.value])
                .map { try TransferRow(row: $0) }
        }
    }

    // MARK: News within the process

    /// Tells runners of this process to look at once. Those of others look by themselves.
    func wake() { listeners.tell() }

    /// An element for one or more calls of `wake`.
    func wakes() -> AsyncStream<Void> { listeners.listen() }
}
