import FundCore

/// Users' funds, folders, files, emails and notes. Each call sees what is one user's, through `LibraryView`.
package struct SQLLibraryStore: Sendable {
    /// A thousand times what one takes among 200,000 emails.
    static let searchTime = Duration.seconds(5)

    let connection: StoreConnection
    let log: StoreLog
    let index: SearchIndex
    let purge: Purge
    let quarantine: Quarantine
    /// For `dataVersion`.
    let version: RowCache<Int64>
    private(set) var reach = LibraryView.Reach.present

    /// The archived funds of users and what is in them, to be looked at one by one. Changes are `invalid`.
    package var archive: SQLLibraryStore {
        var archive = self
        archive.reach = .archived
        return archive
    }

    func viewing<Value: Sendable>(
        _ operation: String, of user: User.ID, _ body: @escaping @Sendable (LibraryView) throws -> Value
    ) async throws -> Value {
        try await connection.readers.run(.look, for: user) { [connection, reach] in
            try connection.read(operation) { try body(LibraryView(db: $0, user: user, reach: reach)) }
        }
    }

    /// Ends with `tookTooLong` after `limit`. `held` when many searches of the user wait already.
    func searching<Value: Sendable>(
        _ operation: String, of user: User.ID, within limit: Duration = SQLLibraryStore.searchTime,
        _ body: @escaping @Sendable (LibraryView) throws -> Value
    ) async throws -> Value {
        try await connection.readers.run(.search, for: user) { [connection] in
            try connection.read(operation, within: limit) { try body(LibraryView(db: $0, user: user)) }
        }
    }

    func changing<Value: Sendable>(
        _ operation: String, _ room: WriteRoom = .free, of user: User.ID,
        _ body: @escaping @Sendable (LibraryChange) throws -> Value
    ) async throws -> Value {
        guard reach == .present else { throw StoreError(.invalid, operation, "an archived fund stays as it is") }
        return try await connection.writing(operation, room, on: connection.queues.changes) { [connection] in
            try body(LibraryChange(db: $0, user: user, limits: connection.storageLimits))
        }
    }
}
