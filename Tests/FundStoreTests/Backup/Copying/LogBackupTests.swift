import FundCore
import Glibc
import TestSupport
import Testing

@testable import FundStore

/// The log is backed up also where the store's database cannot be opened.
@Suite struct LogBackupTests {
    enum Ground: CaseIterable { case cutToHalf, missing, garbage }

    private func lose(_ ground: Ground, of harness: BackupHarness) throws -> StoreError {
        let location = harness.store.connection.location
        try harness.store.close()
        for suffix in ["-wal", "-shm"] { unlink(location.database + suffix) }
        let bytes = try TestFile.read(location.database)
        switch ground {
        case .cutToHalf: try TestFile.write(Array(bytes.prefix(bytes.count / 2)), to: location.database)
        case .missing: unlink(location.database)
        case .garbage: try TestFile.write([UInt8](repeating: 7, count: bytes.count), to: location.database)
        }
        do {
            try FundStore.open(at: location.root, mode: .existing).close()
            throw StoreError(.io, "lose a database", "it was opened")
        } catch let error as StoreError { return error }
    }

    @Test(arguments: Ground.allCases) func theNewBytesOfTheLogAreCopied(ground: Ground) async throws {
        let harness = try await BackupHarness()
        try await harness.base.file("a: 1\n\nb")
        try await harness.backUp()
        for number in 0..<5 { try await harness.base.file("a: new \(number)\n\nb") }
        let store = harness.store.connection.location
        let problem = try lose(ground, of: harness)
        #expect([.corrupted, .rowsLost].contains(problem.code), "\(problem)")
        let database = try TestFile.read(harness.location.database)
        let report = try StoreMaintenance.backUpLog(of: store.root, to: harness.target, without: problem)
        #expect(report.damages.count == 1 && report.damages[0].contains("the one that it had"), "\(report.damages)")
        #expect(report.copiedBytes > 0)
        #expect(
            try TestFile.read(harness.location.log + "/000001.seg") == TestFile.read(store.log + "/000001.seg"))
        #expect(try TestFile.read(harness.location.database) == database)
        // The backup is a store still, of the time before, beside a log that has more.
        let opened = try FundStore.open(at: harness.target, mode: .readOnly)
        #expect(try await opened.maintenance.verify().findings.allSatisfy { $0.kind == .newerSegment })
        try opened.close()
    }

    /// Without a database the segments say whose backup it is.
    @Test func theBackupOfAnotherStoreIsRefused() async throws {
        let (harness, other) = (try await BackupHarness(), try await BackupHarness())
        for harness in [harness, other] {
            try await harness.base.file("a: 1\n\nb")
            try await harness.backUp()
        }
        let before = try other.contents()
        let problem = try lose(.cutToHalf, of: harness)
        #expect {
            try StoreMaintenance.backUpLog(
                of: harness.store.connection.location.root, to: other.target, without: problem)
        } throws: { ($0 as? StoreError)?.code == .invalid }
        #expect(try other.contents() == before)
    }
}
