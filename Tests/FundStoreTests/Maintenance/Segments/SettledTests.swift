import FundCore
import Glibc
import TestSupport
import Testing

@testable import FundStore

/// Damage of bytes that came again, or are not needed any more, is no finding for ever.
@Suite struct SettledTests {
    private let large = StoreHarness.Part(name: "large", bytes: [UInt8](repeating: 5, count: 2 << 20))

    private func segment(of digest: ContentDigest, _ harness: StoreHarness) throws -> String {
        let location = try #require(try harness.store.log.locations(of: digest).first)
        return harness.store.log.directory.path(of: location.segment)
    }

    /// The end of a segment of many small records, and of one large one.
    @Test(arguments: [false, true]) func aMissingEndWhoseMailCameAgain(_ isLarge: Bool) async throws {
        let harness = try await StoreHarness()
        let parts = isLarge ? [large] : [StoreHarness.Part(name: "s", bytes: Array("small".utf8))]
        try await harness.file("first: 1\n\nc")
        // The raw message repeats the large file, as mail does.
        let raw = "last: 2\n\n" + (isLarge ? String(decoding: large.bytes, as: UTF8.self) : "c")
        let last = try await harness.file(raw, parts: parts)
        let path = try segment(of: isLarge ? large.digest : last.message.spooled.digest, harness)
        let size = try #require(DiskFile.size(of: path))
        try harness.reopen()
        // Commit marks stand at the end, too.
        truncate(path, Int(size - (isLarge ? 1 << 20 : 200)))
        let seen = try await harness.store.maintenance.verify().findings
        #expect(seen.contains { $0.kind == .damagedSegment } && seen.count > 1, "\(seen)")
        let lost = try await harness.store.maintenance.verify(repairing: KnownParts([]))
        #expect(!lost.isSound && lost.findings.contains { $0.detail.contains("that are needed") }, "\(lost.findings)")
        #expect(try await harness.file(raw, parts: parts).outcome == .duplicate)
        // Nothing is missing of a segment that nothing needs any more.
        let again = try await harness.store.maintenance.verify().findings
        #expect(again.map(\.kind) == (isLarge ? [] : [.damagedSegment]), "\(again)")
        let settled = try await harness.store.maintenance.verify(repairing: KnownParts([]))
        #expect(settled.isSound && settled.findings.map(\.action) == (isLarge ? [] : [.settled]), "\(settled.findings)")
        #expect(try await harness.store.maintenance.verify().findings == [])
        try harness.reopen()
        try await harness.file("next: 3\n\nc")
        _ = try await harness.store.maintenance.sweep()
        #expect(try await harness.store.maintenance.verify().findings == [])
        #expect(try harness.rawMessages() == 3)
    }

    @Test func aChangedOpeningIsWrittenAgain() async throws {
        let harness = try await StoreHarness()
        let stored = try await harness.file("a: b\n\nc", parts: [large])
        let path = try segment(of: stored.message.spooled.digest, harness)
        try harness.reopen()
        let file = try #require(fopen(path, "r+"))
        fputs("XXXXXXXXXXXXXXXXXXXX", file)
        fclose(file)
        #expect(try await harness.store.maintenance.verify().findings.map(\.kind) == [.damagedSegment])
        let mended = try await harness.store.maintenance.verify(repairing: KnownParts([]))
        #expect(mended.isSound && mended.findings.map(\.action) == [.settled])
        try harness.reopen()
        #expect(try await harness.store.maintenance.verify().findings == [])
        #expect(try harness.content(stored.message.spooled.digest) == Array("a: b\n\nc".utf8))
        // It takes records again.
        try await harness.file("d: e\n\nf")
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    @Test func aKeyThatIsNoneIsNamedAndNotTakenOver() async throws {
        let harness = try await StoreHarness()
        let key = try harness.store.accounts.serverKey()
        let backup = harness.folder + "/backup"
        _ = try await harness.store.maintenance.backUp(to: backup)
        try harness.reopen()
        truncate(harness.store.connection.location.serverKey, 0)
        #expect { _ = try harness.store.accounts.serverKey() } throws: { error in
            let error = error as? StoreError
            return error?.code == .invalid && error?.detail.contains("bring it back from the backup") == true
        }
        #expect(try await harness.store.maintenance.verify().findings.map(\.kind) == [.damagedKey])
        let report = try await harness.store.maintenance.backUp(to: backup)
        #expect(report.damages.contains { $0.contains("server.key") }, "\(report.damages)")
        let kept = try FundStore.open(at: backup, mode: .existing)
        #expect(try kept.accounts.serverKey() == key)
        try kept.close()
    }
}
