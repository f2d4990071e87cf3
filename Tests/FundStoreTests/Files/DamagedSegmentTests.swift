import TestSupport
internal import Foundation
import FundCore
import Testing

@testable import FundStore

/// A segment of a store that has lost its beginning, and whose end is torn: what the rows know of it is enough to read
/// what is left.
@Suite struct DamagedSegmentTests {
    private static let lostBytes = 4096

    private func text(_ number: Int) -> String { "a: \(number)\n\n" + String(repeating: "\(number) ", count: 900) }

    @Test func isReadByItsRows() async throws {
        let harness = try await StoreHarness()
        let part = { (number: Int) in
            StoreHarness.Part(name: "\(number)", bytes: (0..<5000).map { UInt8(truncatingIfNeeded: $0 * $0 + number) })
        }
        for number in 0..<8 { try await harness.file(text(number), parts: [part(number)]) }
        let path = harness.store.log.directory.path(of: SegmentNumber(1))
        try harness.store.close()
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.write(contentsOf: [UInt8](repeating: 0, count: Self.lostBytes))
        try file.seekToEnd()
        try file.write(contentsOf: Array("torn".utf8))
        try file.close()
        harness.store = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        let store = harness.store
        // The first file alone stood there.
        #expect(try harness.content(part(0).digest) == nil)
        for number in 1..<8 { #expect(try harness.content(part(number).digest) == part(number).bytes) }
        let report = try await store.maintenance.verify()
        #expect(report.rawMessages + report.blobs >= 14, "\(report)")
        // Nothing is appended to it.
        let size = DiskFile.size(of: path)
        try await harness.file("a: new\n\nb")
        #expect(DiskFile.size(of: path) == size)
        // Purged bytes in it are given back.
        let location = try #require(try store.log.locations(of: part(7).digest).first)
        try store.connection.write("") { try SegmentRows(db: $0).release(location, of: part(7).digest) }
        try store.log.reclaim()
        #expect(try harness.count("dead_record") == 0)
        #expect(throws: LogDamage(.dead, location.segment, location.offset)) {
            try store.log.reader.record(at: location, of: part(7).digest)
        }
    }
}
