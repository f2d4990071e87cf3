internal import Foundation
import FundCore
internal import Glibc
internal import Synchronization
import TestSupport
import Testing

@testable import FundStore

/// A store of an earlier version is opened: its rows are copied before they change.
@Suite struct StoreUpdateTests {
    /// Schema of `FeedMigrationTests.earlierStore`.
    private static let earlier = 24

    private func withEarlierStore(_ body: (StoreLocation) async throws -> Void) async throws {
        let harness = try FeedMigrationTests.earlierStore(files: 20)
        defer { withExtendedLifetime(harness) {} }
        try harness.pool.withWriter { $0.truncateWAL(waitingUpTo: 0) }
        try harness.pool.close()
        try await body(harness.location)
    }

    private func update(_ location: StoreLocation, copiesRows: Bool = true) throws {
        try FundStore.open(
            at: location.root, mode: .existing, update: UpdateOptions(copiesRows: copiesRows)
        ).close()
    }

    /// The names of copies, whole or not.
    private func copies(_ location: StoreLocation) throws -> [String] {
        try DiskDirectory.names(in: location.root).filter {
            $0.contains(".schema-") || $0.hasPrefix("fundmail.sqlite.update")
        }.sorted()
    }

    /// All rows of all tables but those that the mark of a copy changes.
    private func rows(_ path: String) throws -> [String] {
        try DatabaseFile.read(path) { db in
            let tables: [String] = try db.values(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%search%' ORDER BY name")
            return try tables.flatMap { table in
                let columns = try db.columns(of: table).map { "quote(\(Database.quoted($0)))" }
                let sql = "SELECT \(columns.joined(separator: " || ',' || ")) FROM \(Database.quoted(table))"
                let marks = "'is_copy', 'update', 'copied_by_update'"
                let mark = table == "counter" ? " WHERE name NOT IN (\(marks))" : ""
                return try (db.values(sql + mark) as [String]).map { "\(table): \($0)" }.sorted()
            }
        }
    }

    private func schema(_ path: String) throws -> Int {
        try DatabaseFile.read(path) { Schema.migrations.steps.count - (try Schema.migrations.pending(in: $0)).count }
    }

    @Test func everyStepHasATitle() {
        for step in Schema.migrations.steps { #expect(!step.title.isEmpty, "\(step.name)") }
    }

    @Test func rowsAreCopiedBefore() async throws {
        try await withEarlierStore { location in
            let before = try rows(location.database)
            let plans = Mutex<[UpdatePlan]>([])
            let options = UpdateOptions { plan in plans.withLock { $0.append(plan) } }
            let pending = try #require(try FundStore.pendingUpdate(at: location.root))
            #expect(try rows(location.database) == before)
            try FundStore.open(at: location.root, mode: .existing, update: options).close()
            let announced = plans.withLock(\.self)
            for plan in announced + [pending] {
                #expect(plan.from == Self.earlier && plan.to == Schema.migrations.steps.count)
                #expect(plan.steps.map(\.number) == Array(Self.earlier + 1...plan.to))
                #expect(plan.hasRoom && plan.copyBytes > 0 && !plan.isContinued)
            }
            #expect(announced.count == 1)
            let copy = location.earlierRows(ofSchema: Self.earlier)
            #expect(announced.first?.copy == copy)
            #expect(try rows(copy) == before)
            #expect(try copies(location) == ["fundmail.sqlite.schema-24"])
            var status = stat()
            #expect(stat(copy, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(try FundStore.pendingUpdate(at: location.root) == nil)
        }
    }

    /// The copies of the last two updates stay.
    @Test func olderCopiesGo() async throws {
        try await withEarlierStore { location in
            for schema in [3, 9, 20] { try TestFile.write([1], to: location.earlierRows(ofSchema: schema)) }
            try update(location)
            #expect(try copies(location) == ["fundmail.sqlite.schema-20", "fundmail.sqlite.schema-24"])
        }
    }

    /// Clients that follow the store have to hear that it was further.
    @Test func theWayBackBeginsAnotherHistory() async throws {
        try await withEarlierStore { location in
            let store = try FundStore.open(at: location.root, mode: .existing)
            let history = try store.connection.read("look") { try StoreHistory.current($0) }
            try store.close()
            let present = try rows(location.database)
            let report = try FundStore.goBack(at: location.root)
            #expect(report.schema == Self.earlier)
            #expect(try rows(location.path(report.kept)) == present)
            #expect(try schema(location.database) == Self.earlier)
            let again = try FundStore.open(at: location.root, mode: .existing)
            #expect(try again.connection.read("look") { try StoreHistory.current($0) } != history)
            #expect(try await again.administration.users().count == 2)
            try again.close()
        }
    }

    /// A killed process leaves the files as they are at that moment.
    @Test func aKillLeavesOneCopy() async throws {
        try await withEarlierStore { location in
            let before = try rows(location.database)
            let left = Mutex<[(FaultPoint, String)]>([])
            let faults = FaultInjection { point in
                left.withLock {
                    let folder = location.root + "-killed-\($0.count)"
                    try? FileManager.default.copyItem(atPath: location.root, toPath: folder)
                    $0.append((point, folder))
                }
            }
            try FundStore.open(at: location.root, mode: .existing, faults: faults).close()
            let expected = try rows(location.database)
            let moments = left.withLock(\.self)
            defer { for (_, folder) in moments { try? FileManager.default.removeItem(atPath: folder) } }
            #expect(Set(moments.map(\.0)).isSuperset(of: FaultPoint.ofUpdates))
            for (point, folder) in moments where FaultPoint.ofUpdates.contains(point) {
                let killed = StoreLocation(root: folder)
                try update(killed)
                #expect(try copies(killed) == ["fundmail.sqlite.schema-24"], "\(point)")
                #expect(try rows(killed.earlierRows(ofSchema: Self.earlier)) == before, "\(point)")
                #expect(try rows(killed.database).count == expected.count, "\(point)")
            }
        }
    }

    /// The earlier version went on after an update that took no step: its copy is not of the rows as they are.
    @Test func aCopyBeforeAnyStepIsMadeAnew() async throws {
        try await withEarlierStore { location in
            try FileManager.default.copyItem(atPath: location.database, toPath: location.updateCopy)
            try DatabaseFile.change(location.database) { try $0.execute("UPDATE user SET name = 'Ann' WHERE id = 1") }
            let before = try rows(location.database)
            try update(location)
            #expect(try rows(location.earlierRows(ofSchema: Self.earlier)) == before)
        }
    }

    @Test func withoutACopyThereIsNoWayBack() async throws {
        try await withEarlierStore { location in
            try update(location, copiesRows: false)
            #expect(try copies(location) == [])
            let before = try rows(location.database)
            #expect { try FundStore.goBack(at: location.root) } throws: { ($0 as? StoreError)?.code == .notFound }
            #expect(try rows(location.database) == before)
        }
    }

    /// A copy that an update before left has rows from before what was done since.
    @Test func aCopyOfAnotherUpdateIsNoWayBack() async throws {
        try await withEarlierStore { location in
            try update(location)
            _ = try FundStore.goBack(at: location.root)
            try update(location, copiesRows: false)
            #expect(try copies(location) == ["fundmail.sqlite.schema-24"])
            let before = try rows(location.database)
            #expect { try FundStore.goBack(at: location.root) } throws: { ($0 as? StoreError)?.code == .notFound }
            #expect(try rows(location.database) == before)
        }
    }

    @Test func aDamagedCopyIsNoWayBack() async throws {
        try await withEarlierStore { location in
            try update(location)
            let copy = location.earlierRows(ofSchema: Self.earlier)
            let (before, bytes) = (try rows(location.database), try TestFile.read(copy))
            let damaged = [[], [1], Array(bytes.prefix(bytes.count / 2)), Array(repeating: 7, count: 9000)]
            for bytes in damaged {
                try TestFile.write(bytes, to: copy)
                #expect { try FundStore.goBack(at: location.root) } throws: { error in
                    (error as? StoreError)?.isOne(of: .notFound, .corrupted) == true
                }
                #expect(try rows(location.database) == before)
                #expect(try copies(location) == ["fundmail.sqlite.schema-24"])
            }
            try TestFile.write(bytes, to: copy)
            #expect(try FundStore.goBack(at: location.root).schema == Self.earlier)
        }
    }

    @Test func thereIsNoWayBackDuringARun() async throws {
        try await withEarlierStore { location in
            let store = try FundStore.open(at: location.root, mode: .existing)
            #expect { try FundStore.goBack(at: location.root) } throws: { ($0 as? StoreError)?.code == .held }
            #expect(try await store.administration.users().count == 2)
            try store.close()
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "this user may not mount a small disk"))
    func withoutRoomNothingIsChanged() async throws {
        let disk = try SmallDisk(bytes: 16 << 20)
        defer { disk.unmount() }
        try await withEarlierStore { earlier in
            let location = StoreLocation(root: disk.path + "/store")
            try location.create(hasLog: true)
            try FileManager.default.copyItem(atPath: earlier.database, toPath: location.database)
            let bytes = try #require(DiskFile.size(of: location.database))
            // The reserve, which the first opening makes, is not for the copy.
            try disk.fill(leaving: Int(bytes) / 2)
            #expect { try update(location) } throws: { error in
                let error = error as? StoreError
                return error?.code == .outOfSpace && error?.detail.contains("--without-copy") == true
            }
            #expect(try schema(location.database) == Self.earlier)
            #expect(try copies(location) == [])
            #expect(try FundStore.pendingUpdate(at: location.root)?.hasRoom == false)
            disk.unfill()
            try update(location)
            #expect(try copies(location) == ["fundmail.sqlite.schema-24"])
        }
    }
}
