internal import CLinux
internal import Glibc
package import PostgreSQLRoom
internal import Synchronization

/// A real PostgreSQL of its own, by a socket and by TCP on loopback, as a user without rights. Tests that share one
/// have a database each.
package final class PostgreSQLServer: Sendable {
    package struct Options: Sendable {
        /// Whether commits reach the disk before they are answered. Without it a test takes a fraction of the time.
        package var isDurable = false
        /// Further settings: `name=value`.
        package var settings: [String] = []

        package init() {}
    }

    private static let programs = "/usr/lib/postgresql/15/bin"
    private static let user = "fundmail"

    /// Why tests with PostgreSQL cannot run here; nil where they can.
    package static var missing: String? {
        let paths = ["\(programs)/initdb", "\(programs)/postgres"]
        return paths.first { access($0, X_OK) != 0 }.map { "\($0) (package postgresql-15)" }
    }

    /// For `.enabled(if:)`: false where PostgreSQL is not installed, with a warning on standard error. Where CI=true
    /// the tests run, and fail.
    package static let isUsable: Bool = {
        guard let missing, getenv("CI").map({ String(cString: $0) }) != "true" else { return true }
        let line = "\n*** SKIPPED: every test with PostgreSQL. Not installed: \(missing). Run scripts/setup test.\n\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        return false
    }()

    /// The one that tests share when they need nothing special; runs until the test process ends.
    package static let shared = Result { try PostgreSQLServer() }

    private struct State {
        /// The first, whose end removes the folder, and those that were started after a `kill`.
        var processes: [ServerProcess] = []
        var databaseCount = 0
    }

    package let folder: String
    private let options: Options
    private let held: HeldPort
    private let state = Mutex(State())

    package var port: Int { held.number }
    private var data: String { "\(folder)/data" }

    package init(_ options: Options = Options()) throws {
        if let missing = Self.missing { throw ServerFailure("not installed: \(missing)") }
        self.options = options
        folder = try TestFile.makeFolder("postgresql")
        held = try HeldPort()
        // The server's own user has to write there.
        if geteuid() == 0 { OtherUser.give(folder) }
        try ToolRun.output(
            ServerProcess.unprivilegedPrefix + [
                "\(Self.programs)/initdb", "--pgdata=\(data)", "--username=\(Self.user)", "--auth=trust",
                "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions",
            ])
        try start()
    }

    deinit { stop() }

    /// Starts it: first, or after `kill`.
    package func start() throws {
        let speed = options.isDurable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
        let settings =
            [
                "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(folder)",
                "max_connections=60", "shared_buffers=32MB", "log_min_messages=warning",
            ] + speed + options.settings
        let isFirst = state.withLock(\.processes.isEmpty)
        let process = try ServerProcess(
            ["\(Self.programs)/postgres", "-D", data] + settings.flatMap { ["-c", $0] },
            folder: isFirst ? folder : TestFile.makeFolder("postgresql-again"), unprivileged: true)
        state.withLock { $0.processes.append(process) }
        try waitUntilReady()
    }

    private func waitUntilReady() throws {
        try firstResult(orElse: "PostgreSQL does not start: \(self.log)") { () -> Void? in
            guard let session = try? PostgreSQLSession(settings(database: "postgres")) else { return nil }
            _ = try session.run("SELECT 1")
            return ()
        }
    }

    /// Ends the server as a crash does: at once, without a checkpoint; what was committed is recovered by the next
    /// start.
    package func kill() throws {
        let pid = try TestFile.read("\(data)/postmaster.pid").split(separator: UInt8(ascii: "\n")).first ?? []
        guard let master = pid_t(String(decoding: pid, as: UTF8.self)) else { throw ServerFailure("no postmaster.pid") }
        _ = Glibc.kill(master, SIGQUIT)
        try firstResult(orElse: "PostgreSQL does not end") { () -> Void? in
            Glibc.kill(master, 0) != 0 || TestFile.names(in: data).contains("postmaster.pid") == false ? () : nil
        }
    }

    package func stop() { for process in state.withLock(\.processes) { process.stop() } }

    package var log: String { state.withLock(\.processes).last?.log ?? "" }

    /// The way to a database of this server.
    /// - Parameter isBySocket: by the socket in its folder; else by TCP.
    package func settings(database: String, isBySocket: Bool = false) throws -> PostgreSQLSettings {
        let host = isBySocket ? folder : "127.0.0.1"
        return try PostgreSQLSettings("host=\(host) port=\(port) user=\(Self.user) dbname=\(database)")
    }

    /// Makes a new database, and gives the way to it.
    /// - Parameter options: further words of CREATE DATABASE.
    package func makeDatabase(_ options: String = "", isBySocket: Bool = false) throws -> PostgreSQLSettings {
        let number = state.withLock { state in
            state.databaseCount += 1
            return state.databaseCount
        }
        let name = "test_\(number)"
        let session = try PostgreSQLSession(settings(database: "postgres"))
        try session.run(script: "CREATE DATABASE \(name) \(options)")
        return try settings(database: name, isBySocket: isBySocket)
    }
}

extension PostgreSQLSettings {
    /// The way to a test's database as text, for a child process.
    package var testAddress: String {
        ["host", "port", "user", "dbname"].compactMap { name in value(of: name).map { "\(name)=\($0)" } }
            .joined(separator: " ")
    }

    /// The way to a test's database, by TCP, as commands take it.
    package var testURL: String {
        func part(_ name: String) -> String { value(of: name) ?? "" }
        return "postgres://\(part("user"))@\(part("host")):\(part("port"))/\(part("dbname"))"
    }
}
