import FundCore
import Glibc
import PostgreSQLRoom
import TestSupport
import Testing

@testable import FundStore

/// Leases as rows, and holders that are stopped or cut off.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct RowLeaseTests {
    /// Times that a test can wait for.
    private static let timing = LeaseTiming(
        length: .milliseconds(2_000), renewal: .milliseconds(300), margin: .milliseconds(700), retry: .milliseconds(100)
    )

    private func leases(_ timing: LeaseTiming = timing) throws -> RowLeases {
        let leases = try RowLeases(PostgreSQLServer.shared.get().makeDatabase(), timing: timing)
        try leases.prepare()
        return leases
    }

    private func take(_ leases: RowLeases, waitingUpTo wait: Duration = .zero) throws -> RowLease? {
        try leases.take(.outbox, for: "test", waitingUpTo: wait)
    }

    @Test func oneHolderAtATimeWithAHigherTokenEach() throws {
        let leases = try leases()
        let first = try #require(try take(leases))
        #expect(first.isHeld)
        #expect(try take(leases) == nil)
        #expect(try leases.take(.news, for: "test", waitingUpTo: .zero) != nil)
        first.end()
        #expect(!first.isHeld)
        let second = try #require(try take(leases, waitingUpTo: .seconds(30)))
        #expect(second.token == first.token + 1)
        first.end()
        #expect(second.isHeld)
        #expect(throws: StoreError.self) { try first.check() }
    }

    @Test func aLeaseEndsWithItsLastReference() throws {
        let leases = try leases()
        do { _ = try #require(try take(leases)) }
        #expect(try take(leases, waitingUpTo: .seconds(30)) != nil)
    }

    @Test func aLeaseIsHeldForLongerThanItsLength() async throws {
        let leases = try leases()
        let lease = try #require(try take(leases))
        // Another one's wait is longer than the lease would last by itself.
        let other = try await offPool { try take(leases, waitingUpTo: Self.timing.length * 2) }
        #expect(other == nil)
        try lease.check()
    }

    @Test func aMailboxNamesItsHolder() throws {
        let leases = try leases()
        let lease = try leases.take(mailbox: "inbox", for: "watch on host-a")
        let error = #expect(throws: StoreError.self) { try leases.take(mailbox: "inbox", for: "poll") }
        #expect(error?.code == .held)
        #expect(error?.detail.contains("`fundmail watch on host-a`") == true)
        lease.end()
    }

    @Test func twoProcessesPrepareAtOnce() async throws {
        let settings = try PostgreSQLServer.shared.get().makeDatabase()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await offPool { try RowLeases(settings).prepare() } } }
            try await group.waitForAll()
        }
    }

    /// Sixteen threads ask, and one gets it.
    @Test func manyAskAndOneGetsIt() async throws {
        let leases = try leases()
        let taken = try await withThrowingTaskGroup(of: RowLease?.self) { group in
            for _ in 0..<16 { group.addTask { try await offPool { try take(leases) } } }
            return try await group.reduce(into: []) { if let lease = $1 { $0.append(lease) } }
        }
        #expect(taken.count == 1)
    }

    /// The line of a holder goes silent: it stands still before another one may begin.
    @Test func aHolderThatIsCutOffStopsBeforeTheNextBegins() async throws {
        let server = try PostgreSQLServer.shared.get()
        let settings = try server.makeDatabase()
        let direct = RowLeases(settings, timing: Self.timing)
        try direct.prepare()
        let line = try FailingLine(to: server.port)
        let far = RowLeases(settings.with(host: "127.0.0.1", port: line.port), timing: Self.timing)
        let lease = try #require(try take(far))
        let start = ContinuousClock.now
        line.beSilent(true)
        let (next, wasHeld) = try await offPool {
            let next = try take(direct, waitingUpTo: .seconds(30))
            return (next, lease.isHeld)
        }
        #expect(next?.token == lease.token + 1)
        #expect(!wasHeld)
        #expect(.now - start < Self.timing.length + .seconds(5))
        _ = try await lease.losses.count(after: 0)
        #expect(throws: StoreError.self) { try lease.check() }
    }

    @Test func aTransactionUnderALeaseKeepsTheNextHolderOut() throws {
        let leases = try leases()
        let rows = PostgreSQLRows(leases.rows.pool.settings, size: 2)
        let lease = try #require(try take(leases))
        try rows.write("write under a lease", .readCommitted, under: lease) { _ in }
        // A later holder has the row.
        try rows.write("take it over", .readCommitted) { db in
            try db.execute("UPDATE lease SET token = token + 1", [])
        }
        let error = #expect(throws: StoreError.self) {
            try rows.write("write under a lease", .readCommitted, under: lease) { db in
                try db.execute("UPDATE lease SET holder = 'stale'", [])
            }
        }
        #expect(error?.code == .held)
        #expect(try rows.ask("read") { try $0.value("SELECT holder FROM lease") } == "test")
        #expect(!lease.isHeld)
    }

    /// A process is stopped (SIGSTOP) between its last look at its lease and its commit, another one takes the lease
    /// over and writes, and the first goes on: it commits nothing.
    @Test func aHolderThatWasStoppedCommitsNothing() async throws {
        let settings = try PostgreSQLServer.shared.get().makeDatabase()
        let leases = RowLeases(settings, timing: Self.timing)
        try leases.prepare()
        try leases.rows.write("make a table") { db in
            try db.run(script: "CREATE TABLE step (name text, process bigint)")
        }
        let note = Self.note(of: getpid())
        defer { unlink(note) }
        try TestFile.write(settings.testAddress, to: note)

        async let child: Void = Self.runStoppedHolder()
        // The child says when it is within its transaction; it then waits for this process's lock.
        let process = try await offPool {
            try firstResult(within: .seconds(60), orElse: "the child takes no lease") { () -> Int? in
                try leases.rows.ask("look") { try $0.value("SELECT process FROM step WHERE name = 'begun'") }
            }
        }
        #expect(kill(pid_t(process), SIGSTOP) == 0)
        let next = try await offPool { try take(leases, waitingUpTo: .seconds(60)) }
        #expect(next != nil)
        try leases.rows.write("write", .readCommitted, under: next) { db in
            try db.execute("INSERT INTO step (name) VALUES ('next holder')", [])
        }
        #expect(kill(pid_t(process), SIGCONT) == 0)
        await child
        let names: [String] = try leases.rows.ask("look") { try $0.values("SELECT name FROM step ORDER BY name") }
        #expect(names == ["begun", "next holder", "refused"])
    }

    /// The file by which a child knows the database of the test that started it.
    private static func note(of process: pid_t) -> String { "/tmp/fundmail-lease-\(process)" }

    private static func runStoppedHolder() async {
        await #expect(processExitsWith: .success) {
            let address = String(decoding: try TestFile.read(RowLeaseTests.note(of: getppid())), as: UTF8.self)
            try RowLeaseTests.holdAndWrite(PostgreSQLSettings(address))
        }
    }

    /// The child takes the lease, begins a transaction and is stopped there until the lease is another's.
    private static func holdAndWrite(_ settings: PostgreSQLSettings) throws {
        let leases = RowLeases(settings, timing: timing)
        let lease = try #require(try leases.take(.outbox, for: "child", waitingUpTo: .seconds(30)))
        let rows = PostgreSQLRows(settings, size: 2)
        let step = "INSERT INTO step (name, process) VALUES (?, ?)"
        let error = #expect(throws: StoreError.self) {
            try rows.write("write as a stale holder", .readCommitted, under: lease) { db in
                try db.execute(step, ["stale holder", nil])
                try rows.ask("say where it is") { try $0.execute(step, ["begun", Int64(getpid())]) }
                // It is stopped while it looks: the look ends once the next holder has written.
                try firstResult(within: .seconds(60), orElse: "nobody took over") { () -> Void? in
                    let sql = "SELECT 1 FROM step WHERE name = 'next holder'"
                    return try rows.ask("look") { try $0.exists(sql) } ? () : nil
                }
            }
        }
        #expect([.held, .unreachable].contains(error?.code))
        #expect(!lease.isHeld)
        try rows.write("say what came of it", .readCommitted) { db in
            if error != nil { try db.execute(step, ["refused", nil]) }
        }
    }
}
