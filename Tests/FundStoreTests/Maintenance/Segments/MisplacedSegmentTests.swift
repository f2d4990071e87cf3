import TestSupport
import Glibc
import FundCore
import Testing

@testable import FundStore

/// Segments that stand elsewhere than their rows say.
@Suite struct MisplacedSegmentTests {
    private static let large = StoreHarness.Part(name: "large", bytes: [UInt8](repeating: 7, count: 1_100_000))
    private static let small = StoreHarness.Part(name: "small", bytes: [UInt8](repeating: 8, count: 1000))

    /// Changes that were made in the log, by paths in the store.
    enum Accident: Sendable, CaseIterable {
        case inLost, swapped, renamed, damagedInLost, folderInPlace, pipeInPlace, otherInPlace

        /// Words about the second segment before anything is mended.
        var words: String {
            switch self {
            case .inLost, .damagedInLost: "000002.seg is missing; lost/log-000002.seg is this segment"
            case .swapped: "000002.seg is no segment of that number; log/000001.seg is this segment"
            case .renamed: "000002.seg is missing; log/000002.seg.bak is this segment"
            case .folderInPlace: "000002.seg is a folder, not a segment; lost/log-000002.seg is this segment"
            case .pipeInPlace: "000002.seg is a pipe, not a segment; lost/log-000002.seg is this segment"
            case .otherInPlace: "000002.seg is no segment of that number; lost/log-000002.seg is this segment"
            }
        }

        func happen(to store: String) throws {
            let (first, second) = ("\(store)/log/000001.seg", "\(store)/log/000002.seg")
            guard self != .renamed else { return #expect(rename(second, second + ".bak") == 0) }
            #expect(rename(second, "\(store)/lost/log-000002.seg") == 0)
            switch self {
            case .inLost, .renamed: break
            case .swapped:
                rename(first, second)
                rename("\(store)/lost/log-000002.seg", first)
            case .damagedInLost:
                var bytes = try TestFile.read("\(store)/lost/log-000002.seg")
                bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16))
                try TestFile.write(bytes, to: "\(store)/lost/log-000002.seg")
            case .folderInPlace: mkdir(second, 0o700)
            case .pipeInPlace: mkfifo(second, 0o600)
            case .otherInPlace: try TestFile.write(try TestFile.read(first), to: second)
            }
        }
    }

    /// Misplaced segments are named, and a repair gives them their names again; a second one finds nothing to do.
    @Test(arguments: Accident.allCases) func arePutBack(after accident: Accident) async throws {
        let harness = try await StoreHarness()
        try await harness.file("a: 1\n\nb", parts: [Self.small, Self.large])
        let location = harness.store.connection.location
        try harness.store.close()
        try accident.happen(to: location.root)
        harness.store = try FundStore.open(at: location.root, mode: .existing)
        let maintenance = harness.store.maintenance
        let seen = try await maintenance.verify()
        #expect(seen.findings.contains { $0.detail.hasPrefix(accident.words) }, "\(seen.findings)")
        let mended = try await maintenance.verify(repairing: KnownParts([]))
        #expect(mended.isSound && mended.rawMessages == 1 && mended.blobs == 2, "\(mended.findings)")
        let done = try await maintenance.verify(repairing: KnownParts([]))
        #expect(done.findings.isEmpty, "\(done.findings)")
        #expect(try harness.content(Self.large.digest) == Self.large.bytes)
        #expect(try harness.content(Self.small.digest) == Self.small.bytes)
    }

    /// A thing that stands in a segment's place is called what it is.
    @Test func whatIsNoFileIsNamed() async throws {
        let harness = try await StoreHarness()
        try await harness.file("a: 1\n\nb", parts: [Self.large])
        let path = harness.store.connection.location.log + "/000002.seg"
        for (make, words) in [
            ({ symlink("/nowhere", path) }, "is a symbolic link"), ({ mkdir(path, 0o700) }, "is a folder"),
            ({ mkfifo(path, 0o600) }, "is a pipe"),
        ] as [(() -> Int32, String)] {
            #expect(remove(path) == 0 && make() == 0)
            let report = try await harness.store.maintenance.verify()
            let ofSegment = report.findings.filter { $0.path == "log/000002.seg" }
            #expect(!ofSegment.isEmpty && ofSegment.allSatisfy { $0.detail.contains(words) }, "\(ofSegment)")
        }
    }

    /// A segment that was brought back too early lacks its end: the copy that has it is named, and not put there.
    @Test func aLongerCopyIsNamed() async throws {
        let harness = try await StoreHarness()
        try await harness.file("a: 1\n\nb", parts: [Self.small])
        let location = harness.store.connection.location
        let path = location.log + "/000001.seg"
        try harness.store.close()
        let whole = try TestFile.read(path)
        try TestFile.write(whole, to: location.lost + "/log-000001.seg")
        truncate(path, whole.count / 2)
        harness.store = try FundStore.open(at: location.root, mode: .existing)
        for parser in [nil, KnownParts([])] {
            let report = try await harness.store.maintenance.verify(repairing: parser)
            let words = "lost/log-000001.seg is a longer copy of it"
            #expect(report.findings.contains { $0.path == "log/000001.seg" && $0.detail.contains(words) }, "\(report)")
        }
        #expect(try TestFile.read(path) == Array(whole.prefix(whole.count / 2)))
    }
}
