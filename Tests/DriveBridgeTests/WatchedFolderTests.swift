import FundCore
import TestSupport
import Testing

@testable import DriveBridge
@testable import FundStore

/// A watched folder of a real server, whose files are filed by the installed program.
@Suite(.startsPrograms) struct WatchedFolderTests {
    /// The moment at which the program is killed.
    private enum Death {
        /// At a point of the program, when a file is added.
        case at(String)
        /// When so many files are filed.
        case filed(Int)
        /// When so many files are moved, whether that is noted or not.
        case moved(Int)
        case never
    }

    private static let deaths: [Death] =
        ["before_append", "after_append", "before_commit", "after_barrier"].map { .at($0) }
        + [.filed(1), .filed(4), .moved(2), .moved(5), .never]

    private static let contents: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: [0, 1, 5_000, 70_000, 300_001, 1_000_000, 9_000_000].map { count in
            ("\(count) é #.bin", (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) })
        })

    @Test func eachFileIsFiledOnceWhateverKillsTheProgram() async throws {
        let cloud = try TestStore()
        defer { cloud.stop() }
        try TestFile.makeDirectory(cloud.path("in"))
        try TestFile.makeDirectory(cloud.path("in/Filed"))
        for (name, bytes) in Self.contents { try TestFile.write(bytes, to: cloud.path("in/\(name)")) }
        let program = try await ReplayStore()
        defer { program.remove() }
        let authority = try TestAuthority.shared.get().caFile
        try TestFile.write(
            """
            store: ./store
            server: {listen: 127.0.0.1:0}
            drives: {private_hosts: [\(TestStore.host)], tls_ca_file: "\(authority)"}

            """, to: program.configuration)
        // This process has the store open, too: it hurries what waits for a time.
        let store = try FundStore.open(at: program.store, mode: .existing)
        let fund = try #require(try await store.administration.funds().first).fund
        let drive = try await store.drives.addDrive(
            NewDrive(name: "Cloud", settings: try TestStore.settings()), of: fund.owner)
        let watch = try await store.drives.addWatch(
            NewDriveWatch(
                drive: drive.id, path: try #require(DrivePath("in")), place: LibraryPlace(fund: fund.id),
                rules: WatchRules(.move, minutes: 1)), of: fund.owner)
        for death in Self.deaths { try await run(death, program, store, cloud) }
        // Each is in the fund once, as it is in the store, and none is in the way.
        var found: [String: ContentDigest] = [:]
        for item in try await store.library.children(of: watch.place, of: fund.owner) {
            if case .file(let file) = item { found[file.name] = file.digest }
        }
        #expect(found == Self.contents.mapValues { .of($0) })
        #expect(TestFile.names(in: cloud.path("in")) == ["Filed"])
        #expect(Set(TestFile.names(in: cloud.path("in/Filed"))) == Set(Self.contents.keys))
        for (name, bytes) in Self.contents { #expect(try TestFile.read(cloud.path("in/Filed/\(name)")) == bytes) }
        let ended = try await store.drives.watch(watch.id, of: fund.owner)
        #expect(ended.counts.filed == Self.contents.count && ended.state == .on && ended.problem == nil)
        try store.close()
        let verified = try await program.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    /// Runs the program until it dies.
    private func run(_ death: Death, _ base: ReplayStore, _ store: FundStore, _ cloud: TestStore) async throws {
        var environment = ["FUNDMAIL_DRIVE_HOSTS": "\(TestStore.host)=127.0.0.1:\(cloud.port)"]
        if case .at(let point) = death { environment["FUNDMAIL_FAILPOINT"] = point }
        let program = base.with(environment)
        let running = try program.program.start(program.arguments(["serve"]))
        let isReached = try await becomesTrue {
            try hurry(store)
            switch death {
            case .at: return !running.isRunning
            case .filed(let count): return try StoreSnapshot.rowCount(of: "file", in: base.store) >= count
            case .moved(let count): return TestFile.names(in: cloud.path("in/Filed")).count >= count
            case .never: return try isDone(store)
            }
        }
        #expect(isReached, "\(death): \(running.errorsSoFar)")
        running.kill()
        let ended = try await running.wait()
        if case .at = death { #expect(ended.wasKilled, "\(death): \(ended)") }
    }

    /// Makes due what waits for a time.
    private func hurry(_ store: FundStore) throws {
        let waits = [
            "UPDATE drive_watch SET due_at = 1 WHERE due_at > 1",
            "UPDATE drive_watch_file SET seen_at = 1 WHERE state = 'waiting' AND seen_at > 1",
            "UPDATE drive_transfer SET due_at = 1 WHERE state = 'queued' AND due_at > 1",
        ]
        let isWaiting = try store.connection.read("look for what waits") { db in
            let tables = [
                "drive_watch WHERE due_at > 1", "drive_watch_file WHERE state = 'waiting' AND seen_at > 1",
                "drive_transfer WHERE state = 'queued' AND due_at > 1",
            ]
            return try tables.contains { try db.exists("SELECT 1 FROM \($0)", []) }
        }
        guard isWaiting else { return }
        try store.connection.write("hurry") { db in for sql in waits { try db.execute(sql, []) } }
    }

    /// Whether each file is filed and moved, and that is noted.
    private func isDone(_ store: FundStore) throws -> Bool {
        try store.connection.read("look at a watched folder") { db in
            let count: Int? = try db.value(
                "SELECT count(*) FROM drive_watch_file WHERE state = 'done' AND gone_at IS NOT NULL", [])
            return count == Self.contents.count
        }
    }
}
