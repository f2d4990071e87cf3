internal import Glibc
package import PostgreSQLRoom

/// A real PgBouncer in front of a PostgreSQL server, pooling by transaction.
package final class PgBouncerServer: Sendable {
    private static let program = "/usr/sbin/pgbouncer"

    /// For `.enabled(if:)`: whether it and PostgreSQL are installed.
    package static var isUsable: Bool { access(program, X_OK) == 0 && PostgreSQLServer.isUsable }

    private let process: ServerProcess
    private let held: HeldPort

    /// - Parameter connections: those to each database, which its clients share.
    package init(to server: PostgreSQLServer, connections: Int) throws {
        let folder = try TestFile.makeFolder("pgbouncer")
        held = try HeldPort()
        try TestFile.write(
            """
            [databases]
            * = host=127.0.0.1 port=\(server.port) user=fundmail
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(held.number)
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(connections)
            """, to: "\(folder)/pgbouncer.ini")
        process = try ServerProcess([Self.program, "\(folder)/pgbouncer.ini"], folder: folder, unprivileged: true)
        let (process, port) = (process, held.number)
        try firstResult(orElse: "PgBouncer does not start: \(process.log)") { () -> Void? in
            LoopbackSocket.connect(port: port).map { _ = close($0) }
        }
    }

    package func stop() { process.stop() }

    /// The way to the same database by this pooler.
    package func settings(for database: PostgreSQLSettings) -> PostgreSQLSettings {
        database.with(host: "127.0.0.1", port: held.number)
    }
}
