import TestSupport
internal import Foundation
import FundCore
import Testing

@testable import FundStore

/// A backup is not replaced by a store that lacks what it has.
@Suite struct BackupLineageTests {
    /// The part that both twins file last: more than is compared anywhere at once.
    private static let same = StoreHarness.Part(
        name: "same", bytes: patternBytes(400_000))

    private func file(_ text: String, into path: String, like base: StoreHarness) async throws {
        let store = try FundStore.open(at: path, mode: .existing)
        defer { try? store.close() }
        let message = try base.message("a: \(text)\n\nb", parts: [Self.same])
        let staged = try store.mail.stage(message) { _, consume in try Self.same.bytes.withUnsafeBytes(consume) }
        #expect(try await store.mail.commit([staged])[0].outcome == .filed)
    }

    /// The backup as a version before schema 6 would have made it.
    private func makeOlder(_ harness: BackupHarness) throws {
        let pool = try ConnectionPool(path: harness.location.database, isReadOnly: false)
        try pool.withWriter {
            try $0.run(
                script: """
                    DROP TABLE backup_state; DELETE FROM counter WHERE name = 'log_position';
                    ALTER TABLE segment DROP COLUMN is_ahead; DELETE FROM grdb_migrations WHERE identifier = '6'
                    """)
            $0.truncateWAL(waitingUpTo: 0)
        }
        try pool.close()
    }

    /// - Parameter isOlder: an older version made the backup, whose records alone tell.
    @Test(arguments: [false, true]) func aLaterStateStays(isOlder: Bool) async throws {
        let harness = try await BackupHarness()
        try await harness.base.file("a: 1\n\nb")
        let earlier = try harness.copyStore("earlier")
        try await harness.base.file("a: 2\n\nb", parts: [Self.same])
        try await harness.backUp()
        if isOlder { try makeOlder(harness) }
        let before = try harness.contents()
        let store = try FundStore.open(at: earlier, mode: .existing)
        defer { try? store.close() }
        let refusal = try #require(try await harness.refusal(of: store))
        #expect(refusal.contains("later state") && refusal.contains("1 message and 1 file"), "\(refusal)")
        #expect(try harness.contents() == before)
        // By force, with what it cost; from then on it is the backup of that store.
        let forced = try await harness.backUp(isForced: true, of: store)
        #expect(forced.loss == BackupLoss(messages: 1, contents: 1))
        let restored = try await harness.restored()
        #expect(restored.isSound && restored.subjects == 1)
        #expect(try await harness.refusal(of: store) == nil)
        // The later one has all that this backup has.
        #expect(try await harness.refusal() == nil)
        #expect(try await harness.restored().subjects == 2)
    }

    @Test(arguments: [false, true]) func aStateThatWentAnotherWayStays(isOlder: Bool) async throws {
        let harness = try await BackupHarness()
        try await harness.base.file("a: 1\n\nb")
        let twin = try harness.copyStore("twin")
        try await harness.base.file("a: 2\n\nb", parts: [Self.same])
        for text in ["3", "4"] { try await file(text, into: twin, like: harness.base) }
        try await harness.backUp()
        if isOlder { try makeOlder(harness) }
        let before = try harness.contents()
        let store = try FundStore.open(at: twin, mode: .existing)
        defer { try? store.close() }
        let refusal = try #require(try await harness.refusal(of: store))
        #expect(refusal.contains("another way") && refusal.contains("1 message and 0 files"), "\(refusal)")
        #expect(try harness.contents() == before)
        let forced = try await harness.backUp(isForced: true, of: store)
        #expect(forced.loss == BackupLoss(messages: 1, contents: 0) && forced.keptStates == 0)
        let restored = try await harness.restored()
        #expect(restored.isSound && restored.subjects == 3)
    }

    /// A copy of the store from before the backup, as of a virtual machine: the backup has no mail and no file that it
    /// has not. What its rows alone say stays as a state of the backup; without room for one it is refused.
    @Test func aCopyThatLacksNothingGoesOn() async throws {
        let harness = try await BackupHarness()
        try await harness.base.file("a: 1\n\nb", parts: [Self.same])
        try await harness.backUp()
        let earlier = try harness.copyStore("earlier")
        try await harness.store.administration.addUser(
            email: "late@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        try await harness.backUp()
        let store = try FundStore.open(at: earlier, mode: .existing)
        defer { try? store.close() }
        await #expect { try await harness.backUp(keeping: 0, of: store) } throws: {
            ($0 as? StoreError)?.code == .conflict
        }
        let report = try await harness.backUp(of: store)
        #expect(report.loss == nil && report.damages == [] && report.keptStates == 2, "\(report)")
        #expect(try await harness.restored().isSound)
        let path = harness.base.folder + "/late"
        _ = try BackupFolder(path: harness.target).restore(try #require(try harness.states.first?.name), to: path)
        let late = try FundStore.open(at: path, mode: .existing)
        defer { try? late.close() }
        #expect(try await late.administration.user("late@example.com").user.email == "late@example.com")
        // From now on it is the backup of that copy; of the store it holds a twin again.
        #expect(try await harness.refusal(of: store) == nil)
        #expect(try await harness.refusal() == nil)
    }

    /// A backup whose own folder was used as a store stays.
    @Test func aBackupThatWasUsedStays() async throws {
        let harness = try await BackupHarness()
        try await harness.base.file("a: 1\n\nb")
        try await harness.backUp()
        try await file("2", into: harness.target, like: harness.base)
        try await harness.base.file("a: 3\n\nb")
        #expect(try #require(try await harness.refusal()).contains("used as a store"))
    }

    /// Stores that go on from the state of the backup may replace it: the same store, one that was made of the backup,
    /// and the backup of an older version.
    @Test func whatGoesOnFromItReplacesIt() async throws {
        let harness = try await BackupHarness()
        try await harness.base.file("a: 1\n\nb")
        try await harness.backUp()
        let restored = harness.base.folder + "/again"
        _ = try BackupFolder(path: harness.target).restore(nil, to: restored)
        try await file("2", into: restored, like: harness.base)
        let store = try FundStore.open(at: restored, mode: .existing)
        #expect(try await harness.refusal(of: store) == nil)
        #expect(try await harness.restored().subjects == 2)
        try makeOlder(harness)
        try await file("3", into: restored, like: harness.base)
        #expect(try await harness.refusal(of: store) == nil)
        #expect(try await harness.restored().subjects == 3)
        let states = try harness.states
        #expect(states.count == 2)
        try store.close()
        // The store that did not go on lacks that now.
        #expect(try await harness.refusal() != nil)
    }

    /// Whose database cannot be compared is said.
    @Test func damageOfTheBackupsDatabaseIsSaidToBeItsOwn() async throws {
        let harness = try await BackupHarness()
        for number in 0..<3 { try await harness.base.file("a: \(number)\n\nb") }
        try await harness.backUp()
        let lineage = BackupLineage(log: harness.store.log, target: harness.location)
        #expect(try lineage.loss().isNothing)
        var bytes = try TestFile.read(harness.location.database)
        bytes.replaceSubrange(3 * 4096..<40 * 4096, with: repeatElement(7, count: 37 * 4096))
        try TestFile.write(bytes, to: harness.location.database)
        #expect { try lineage.loss() } throws: { error in
            let error = error as? StoreError
            return error?.code == .invalid && error?.detail.contains("its own fundmail.sqlite is damaged") == true
        }
    }
}
