import FundCore
import TestSupport
import Testing

@testable import PostgreSQLRoom

/// Lines and servers that fail, and what is known of a transaction then.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct FailingLineTests {
    private func settings(_ server: PostgreSQLServer) throws -> PostgreSQLSettings {
        var settings = try server.makeDatabase()
        settings.timeouts.answer = .seconds(1)
        try PostgreSQLSession(settings).run(script: "CREATE TABLE play (id bigint PRIMARY KEY)")
        return settings
    }

    private func count(_ settings: PostgreSQLSettings) throws -> Int? {
        try PostgreSQLResultRow(PostgreSQLSession(settings).run("SELECT count(*) FROM play"), 0).value(0)
    }

    private func insert(_ session: PostgreSQLSession, during body: () throws -> Void = {}) throws {
        try session.transaction(.readCommitted) {
            _ = try session.run("INSERT INTO play VALUES (1)")
            try body()
        }
    }

    /// Whether COMMIT arrived cannot be told by who sent it: neither way is taken for the other.
    @Test(arguments: [(FailingLine.Moment.beforeAnswer, 1), (.beforeServer, 0)])
    func aLineCutAtCommitLeavesOpenWhatWasKept(moment: FailingLine.Moment, kept: Int) throws {
        let server = try PostgreSQLServer.shared.get()
        let (settings, line) = (try settings(server), try FailingLine(to: server.port))
        let session = try PostgreSQLSession(settings.with(host: "127.0.0.1", port: line.port))
        line.cut(moment, "COMMIT\0")
        let error = #expect(throws: PostgreSQLError.self) { try insert(session) }
        #expect(error?.code == .uncertain)
        #expect(error?.canRunAgain == false)
        #expect(session.isBroken)
        #expect(line.cutCount == 1)
        #expect(try count(settings) == kept)
    }

    @Test func aLineCutBeforeCommitKeptNothing() throws {
        let server = try PostgreSQLServer.shared.get()
        let (settings, line) = (try settings(server), try FailingLine(to: server.port))
        let session = try PostgreSQLSession(settings.with(host: "127.0.0.1", port: line.port))
        line.cut(.beforeAnswer, "INSERT")
        let error = #expect(throws: PostgreSQLError.self) { try insert(session) }
        #expect(error?.code == .lost)
        #expect(error?.canRunAgain == true)
        #expect(try count(settings) == 0)
    }

    @Test func aServerThatIsKilledWithinATransactionKeptNothing() throws {
        var options = PostgreSQLServer.Options()
        options.isDurable = true
        let server = try PostgreSQLServer(options)
        let settings = try settings(server)
        let session = try PostgreSQLSession(settings)
        let error = #expect(throws: PostgreSQLError.self) {
            try insert(session) {
                try server.kill()
                _ = try session.run("SELECT 1")
            }
        }
        #expect(error?.code == .lost)
        let start = ContinuousClock.now
        let refused = #expect(throws: PostgreSQLError.self) { try PostgreSQLSession(settings) }
        #expect(refused?.code == .unreachable)
        #expect(.now - start < .seconds(30))
        try server.start()
        #expect(try count(settings) == 0)
    }

    /// The bytes leave and nothing comes back, as with a firewall that forgot the connection.
    @Test func aSilentLineHoldsUpNothingForLong() throws {
        let server = try PostgreSQLServer.shared.get()
        let (settings, line) = (try settings(server), try FailingLine(to: server.port))
        var slow = settings.with(host: "127.0.0.1", port: line.port)
        slow.timeouts.statement = .seconds(1)
        slow.timeouts.connect = .seconds(3)
        slow.timeouts.acknowledgement = .seconds(1)
        let session = try PostgreSQLSession(slow)
        line.beSilent(true)
        let start = ContinuousClock.now
        let error = #expect(throws: PostgreSQLError.self) { try session.run("SELECT 1") }
        #expect(error?.code == .lost)
        let refused = #expect(throws: PostgreSQLError.self) { try PostgreSQLSession(slow) }
        #expect(refused?.code == .unreachable)
        #expect(.now - start < .seconds(45))
    }

    @Test func aSilentLineAtCommitLeavesOpenWhatWasKept() throws {
        let server = try PostgreSQLServer.shared.get()
        let (settings, line) = (try settings(server), try FailingLine(to: server.port))
        var slow = settings.with(host: "127.0.0.1", port: line.port)
        slow.timeouts.statement = .seconds(1)
        let session = try PostgreSQLSession(slow)
        let error = #expect(throws: PostgreSQLError.self) { try insert(session) { line.beSilent(true) } }
        #expect(error?.code == .uncertain)
    }

    /// An administrator ends the connection: the server says so before.
    @Test func aConnectionThatTheServerEndsIsLost() throws {
        let server = try PostgreSQLServer.shared.get()
        let settings = try settings(server)
        let (session, other) = (try PostgreSQLSession(settings), try PostgreSQLSession(settings))
        let error = #expect(throws: PostgreSQLError.self) {
            try insert(session) {
                _ = try other.run("SELECT pg_terminate_backend(?::int)", [.integer(Int64(session.process))])
                _ = try session.run("SELECT pg_sleep(10)")
            }
        }
        #expect(error?.code == .lost)
        #expect(try count(settings) == 0)
    }

    /// The program's own role needs no rights beyond its database.
    @Test func aRoleWithoutFurtherRightsIsEnough() throws {
        let settings = try settings(PostgreSQLServer.shared.get())
        try PostgreSQLSession(settings).run(script: "CREATE ROLE plain LOGIN; GRANT ALL ON play TO plain")
        let session = try PostgreSQLSession(settings.with(user: "plain"))
        try insert(session)
        #expect(try count(settings) == 1)
    }

    /// The first of two machines is silent: the second is tried after the time for one.
    @Test func theNextHostIsTriedWhenTheFirstIsSilent() throws {
        let server = try PostgreSQLServer.shared.get()
        let (settings, line) = (try settings(server), try FailingLine(to: server.port))
        line.beSilent(true)
        var both = try PostgreSQLSettings(
            "host=127.0.0.1,127.0.0.1 port=\(line.port),\(server.port) user=fundmail "
                + "dbname=\(settings.value(of: "dbname") ?? "")")
        both.timeouts.connect = .seconds(3)
        #expect(try PostgreSQLSession(both).run("SELECT 1").rowCount == 1)
    }

    @Test func addressesAndLoginsThatDoNotWorkAreTold() throws {
        let server = try PostgreSQLServer.shared.get()
        let noDatabase = #expect(throws: PostgreSQLError.self) {
            try PostgreSQLSession(server.settings(database: "nothing"))
        }
        #expect(noDatabase?.code == .refused)
        let noServer = #expect(throws: PostgreSQLError.self) {
            try PostgreSQLSession(
                server.settings(database: "postgres").with(host: "127.0.0.1", port: HeldPort().number))
        }
        #expect(noServer?.code == .unreachable)
        let otherEncoding = #expect(throws: PostgreSQLError.self) {
            try PostgreSQLSession(server.makeDatabase("TEMPLATE template0 ENCODING 'LATIN1'"))
        }
        #expect(otherEncoding?.code == .unsuitable)
    }
}
