import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Backups of a store whose rows are on a server.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable), .rowsOnServer) struct ServerBackupTests {
    /// It is restored as a store of SQLite, and says the same.
    @Test func isRestoredIntoAFolder() async throws {
        let backup = try await BackupHarness()
        let library = backup.library
        try await library.put("plan.txt", "the plan")
        try await library.base.file("Subject: 1\n\n1", parts: [.init(name: "Part.pdf", bytes: Array("part".utf8))])
        #expect(try await backup.backUp().damages == [])
        let first = try await backup.restored()
        #expect(first.isSound && first.subjects == 1 && first.files.keys.contains("plan.txt"))

        try await library.put("later.txt", "later")
        let report = try await backup.backUp()
        #expect(report.damages == [] && report.keptStates == 1)
        #expect(try await backup.restored().files.keys.contains("later.txt"))
        let state = try #require(try backup.states.first?.name)
        #expect(try await backup.restored(state).files.keys.contains("later.txt") == false)
    }

    /// A backup that has what the store has not is not replaced.
    @Test func aLaterStateIsNotReplaced() async throws {
        let backup = try await BackupHarness()
        try await backup.backUp()
        let restored = "\(backup.base.folder)/restored"
        _ = try BackupFolder(path: backup.target).restore(nil, to: restored)
        let other = try FundStore.open(at: restored, mode: .existing)
        let upload = try other.library.makeUpload(named: "a", announcing: nil)
        try Array("other".utf8).withUnsafeBytes { try upload.append($0) }
        let target = FileTarget("other.txt", in: backup.library.top, ifTaken: .refuse)
        _ = try await other.library.addFile(
            try upload.finish(contentType: "text/plain"), at: target, of: backup.library.ann)
        _ = try await other.maintenance.backUp(to: backup.target)
        try other.close()
        let refusal = try #require(try await backup.refusal())
        #expect(refusal.contains("0 messages and 1 file"), "\(refusal)")
    }

    @Test func verifyFindsWhatContradicts() async throws {
        let library = try await LibraryHarness()
        try await library.put("plan.txt", "the plan")
        #expect(try await library.store.maintenance.verify().findings.isEmpty)
        try library.store.connection.write("change a size") { try $0.execute("UPDATE file SET size = size + 1") }
        let findings = try await library.store.maintenance.verify().findings
        #expect(findings.contains { $0.detail.contains("has another size than its content") }, "\(findings)")
    }
}
