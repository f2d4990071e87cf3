internal import Foundation
internal import GRDB

/// The downloads and uploads of an account, in the order in which they are to happen. It outlives every process; a
/// `TransferRunner`, in this process or another, does the work. All calls may be made from any process at any time.
public final class TransferQueue: Sendable {
    let database: ClientDatabase
    let progressBoard = ProgressBoard()
    private let listeners = Listeners()

    /// - Parameter catalogue: of the account.
    public init(of catalogue: Catalogue) { database = catalogue.database }

    /// Adds downloads and uploads behind the others of their priority. What the queue has already, and is not done
    /// with, is not added again.
    /// - Parameter priority: the higher comes first.
    /// - Returns: their numbers, in the same order.
    @discardableResult
    public func add(_ works: [Transfer.Work], priority: Int = 0) async throws(ClientError) -> [TransferID] {
        let ids = try await database.write { db in
            try works.map { try Self.known($0, db) ?? TransferRow.insert($0, priority: priority, db) }
        }
        wake()
        return ids
    }

    /// Adds a download, see `add(_:priority:)`.
    @discardableResult
    public func add(_ download: Download, priority: Int = 0) async throws(ClientError) -> TransferID {
        try await one(.download(download), priority)
    }

    /// Adds an upload, see `add(_:priority:)`.
    @discardableResult
    public func add(_ upload: Upload, priority: Int = 0) async throws(ClientError) -> TransferID {
        try await one(.upload(upload), priority)
    }

    private func one(_ work: Transfer.Work, _ priority: Int) async throws(ClientError) -> TransferID {
        let ids = try await add([work], priority: priority)
        guard let id = ids.first else { throw ClientError(.local, "the queue took nothing") }
        return id
    }

    private static func known(_ work: Transfer.Work, _ db: Database) throws -> TransferID? {
        guard case .download(let download) = work else { return nil }
        let (kind, id) = download.item.columns
        return try Int64.fetchOne(
            db,
            sql: """
                SELECT id FROM transfer WHERE item = ? AND state IN ('waiting', 'running', 'paused')
                    AND kind = 'download' AND item_kind = ? AND path IS ? AND digest IS ?
                """, arguments: [id, kind, download.destination, download.digest?.column]
        ).map { TransferID($0) }
    }

    /// In the order in which they are to happen.
    /// - Parameter states: all unless given.
    public func transfers(in states: Set<Transfer.State>? = nil) async throws(ClientError) -> [Transfer] {
        let names = (states ?? Set(Transfer.State.allCases)).map(\.rawValue)
        return try await database.read { db in
            let places = names.map { _ in "?" }.joined(separator: ", ")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM transfer WHERE state IN (\(places))
                    ORDER BY state IN ('done', 'failed', 'cancelled'), priority DESC, position, id
                    """, arguments: StatementArguments(names)
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
