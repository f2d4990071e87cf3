import FundCore
import PostgreSQLRoom

/// The server with the rows of a store, as it is now.
package struct DatabaseServer: Sendable {
    /// Version of PostgreSQL, as the server says it: `15.10 (Debian 15.10-0+deb12u1)`.
    package var version: String
    /// Host or folder of the socket, port and database.
    package var place: String
    /// Shortest time of three questions.
    package var latency: Duration
    package var isEncrypted: Bool
    /// A pooler stands between: no statement is prepared, and other processes' changes are seen by a look each second.
    package var isPooled: Bool
    /// Settings of the server by which committed rows are lost with its power.
    package var unsafeSettings: [String]
    /// Standbys that are connected; 0 where there are none.
    package var standbys: Int
    /// Commits are answered before a standby has them: those are lost where it takes over.
    package var isAsynchronous: Bool
}

extension PostgreSQLRows {
    private static let facts = """
        SELECT current_setting('server_version'), current_setting('fsync'), current_setting('full_page_writes'),
            current_setting('synchronous_standby_names'), (SELECT count(*) FROM pg_stat_replication)
        """
    private static let questions = 3

    /// Looks at the server. It is the primary: no other takes a connection of this program.
    func look(_ operation: String) throws -> DatabaseServer {
        try ask(operation) { db in
            let latency = try (0..<Self.questions).map { _ in
                let start = ContinuousClock.now
                _ = try db.exists("SELECT 1")
                return ContinuousClock.now - start
            }.min()
            let facts = try db.rows(Self.facts) { row -> (texts: [String], standbys: Int) in
                ((0..<4).map { row[$0] }, row[4])
            }.one(operation, "the server says nothing about itself")
            let settings = pool.settings
            let host = settings.value(of: "host") ?? settings.value(of: "hostaddr") ?? "the local socket"
            let port = settings.value(of: "port").map { ":\($0)" } ?? ""
            return DatabaseServer(
                version: facts.texts[0], place: "\(host)\(port), \(settings.value(of: "dbname") ?? "")",
                latency: latency ?? .zero, isEncrypted: db.session.isEncrypted, isPooled: db.session.isPooled,
                unsafeSettings: zip(["fsync", "full_page_writes"], facts.texts[1...2]).filter { $1 == "off" }.map(\.0),
                standbys: facts.standbys, isAsynchronous: facts.standbys > 0 && facts.texts[3].isEmpty)
        }
    }
}
