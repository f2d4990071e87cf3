package import FundCore
internal import Dispatch
internal import Synchronization

/// Renditions and their queue, in the folder `cache` of a store. Opened at the first use.
package final class SQLitePreviewStore: Sendable {
    let connection: StoreConnection
    let files: PreviewFiles
    private let opened = Mutex<PreviewDatabase?>(nil)
    /// Of its own, so that a write that waits for another process holds up no reading of the store.
    private let writes = DispatchQueue(label: "fundmail.store.previews")
    /// Renditions that were used since that was written the last time.
    let used = Mutex<[RenditionKey: Timestamp]>([:])

    init(connection: StoreConnection) {
        self.connection = connection
        files = PreviewFiles(layout: connection.layout, owner: connection.owner)
    }

    func database() throws -> PreviewDatabase {
        try opened.withLock { opened in
            if let opened { return opened }
            let made = try PreviewDatabase(
                connection.layout, owner: connection.owner, isReadOnly: connection.isReadOnly)
            opened = made
            return made
        }
    }

    /// Afterwards it opens anew when it is used.
    func close() throws { try opened.withLock { try $0.take()?.close() } }

    func reading<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await connection.queues.shared.run { [self] in
            try StoreError.wrapping(operation) { try database().pool.read(body) }
        }
    }

    /// One transaction.
    @discardableResult
    func writing<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await writes.run { [self] in
            try StoreError.wrapping(operation) { try database().write(body) }
        }
    }

    /// Runs `body`, which may wait for the disk, apart from Swift's own threads.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await connection.queues.shared.run(body)
    }
}

extension RenditionKey {
    var arguments: SQLArguments { [content, kind.rawValue, page] }

    /// The columns digest, kind and page, from number `index` on; nil for a kind of another version.
    init?(_ row: Row, at index: Int) throws {
        guard let kind = RenditionKind(rawValue: row[index + 1]) else { return nil }
        self.init(try row.digest(index), kind, page: row[index + 2])
    }
}
