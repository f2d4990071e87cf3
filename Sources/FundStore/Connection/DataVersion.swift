internal import GRDB
internal import Synchronization

/// Reads SQLite's `data_version` (https://www.sqlite.org/pragma.html#pragma_data_version) over a connection that never
/// writes, so that it changes with every commit of every other connection.
final class DataVersion: Sendable {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func read() throws -> Int64 {
        try queue.unsafeRead { db in
            guard let version = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) else {
                throw DatabaseError(message: "no data_version")
            }
            return version
        }
    }

    func close() throws { try queue.close() }
}
