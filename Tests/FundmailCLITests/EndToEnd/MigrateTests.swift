internal import Glibc
import TestSupport
import Testing

/// `fundmail migrate`, killed at each of its steps.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct MigrateTests {
    /// Steps in their order; a process that dies at one leaves the work before it to the next.
    private static let points = [
        "after_copied_table:1", "after_copied_table:9", "after_copied_table:40", "after_copied_rows",
        "after_compared_rows", "after_other_engine",
    ]

    private func address() throws -> String { try PostgreSQLServer.shared.get().makeDatabase().testURL }

    private func migrate(_ store: ReplayStore, to target: String) async throws {
        for point in Self.points {
            let killed = try await store.with(["FUNDMAIL_FAILPOINT": point]).run("migrate", "--to", target)
            #expect(killed.wasKilled && killed.status == SIGKILL, "\(point): \(killed)")
            let looked = try await store.run("migrate", "--to", target, "--dry-run")
            #expect(looked.isSuccess, "\(point): \(looked)")
        }
        let done = try await store.run("migrate", "--to", target)
        #expect(done.isSuccess && done.output.contains(target == "sqlite" ? "in the folder" : "already"), "\(done)")
        let verified = try await store.run("verify")
        #expect(verified.output.contains("All is well"), "\(verified)")
    }

    @Test func goesOnAfterEachKill() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.write(CrashMail.messages(20, fileBytes: 2000))
        #expect(try await store.replay().isSuccess)
        let before = try store.snapshot()
        try await migrate(store, to: address())
        let kept = TestFile.names(in: store.store).filter { $0.hasPrefix("fundmail.sqlite.before-postgresql-") }
        #expect(kept.count == 1)
        // Mail of before is known, and what is new is filed.
        try store.write(CrashMail.messages(24, fileBytes: 2000))
        #expect(try await store.replay().isSuccess)
        let backup = try await store.run("backup", "--to", "\(store.folder)/backup")
        #expect(backup.isSuccess, "\(backup)")
        try await migrate(store, to: "sqlite")
        let after = try store.snapshot()
        #expect(after.rows["message"]?.count == (before.rows["message"]?.count ?? 0) + 4)
        #expect(try StoreSnapshot(store: "\(store.folder)/backup") == after)
    }

    @Test func saysWhatItWouldDo() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let looked = try await store.run("migrate", "--to", address(), "--dry-run")
        #expect(looked.isSuccess && looked.output.contains("Nothing was changed."), "\(looked)")
        let wrong = try await store.run("migrate", "--to", "mysql://x")
        #expect(wrong.status == EX_USAGE && wrong.errors.contains("--to takes"), "\(wrong)")
        let dead = try await store.run("migrate", "--to", "postgres://ann@127.0.0.1:1/x")
        #expect(dead.status == EX_UNAVAILABLE, "\(dead)")
        let there = try await store.run("migrate", "--to", "sqlite")
        #expect(there.output == "Its rows are in the folder already.\n", "\(there)")
    }
}
