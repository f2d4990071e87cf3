import Glibc
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The folder of the log goes away, or most of what is in it.
@Suite struct LostLogTests {
    enum Way: String, CaseIterable {
        case unmounted, renamed

        var isPossible: Bool { self == .renamed || SmallDisk.isPossible }
    }

    /// A store whose log can be taken away while it is open.
    private struct MovableLog {
        let way: Way
        let log: String
        let disk: String

        init(_ way: Way, of harness: StoreHarness) throws {
            (self.way, log, disk) = (way, harness.store.connection.location.log, harness.folder + "/disk")
            guard way == .unmounted else { return }
            try harness.store.close()
            try takeAway(by: .renamed)
            try bringBack()
            try harness.reopen()
        }

        func takeAway(by way: Way? = nil) throws {
            switch way ?? self.way {
            case .unmounted: BindMount.remove(at: log)
            case .renamed:
                try #require(rename(log, disk) == 0)
                try DiskDirectory.make(log, isPrivate: true)
            }
        }

        func bringBack() throws {
            switch way {
            case .unmounted: try BindMount.make(of: disk, at: log)
            case .renamed: try #require(rmdir(log) == 0 && rename(disk, log) == 0)
            }
        }

        /// So that the folder of the test can go.
        func end() { if way == .unmounted { BindMount.remove(at: log) } }
    }

    private func isLost(_ error: any Error) -> Bool {
        (error as? StoreError)?.code == .logLost && "\(error)".contains("is a disk not mounted?")
    }

    private func file(_ name: String, _ bytes: Int, in harness: StoreHarness) async throws -> FileEntry {
        let upload = try harness.store.library.makeUpload(named: name, announcing: nil)
        try [UInt8](repeating: UInt8(ascii: "x"), count: bytes).withUnsafeBytes { try upload.append($0) }
        return try await harness.store.library.addFile(
            upload.finish(contentType: "text/plain"),
            at: FileTarget(name, in: LibraryPlace(fund: harness.fund.id), ifTaken: .refuse), of: harness.ann.id)
    }

    private static let large = Int(LogFormat.largeBytes)

    /// Nothing is written to what comes up in the folder's place, and nothing that is there is given up or taken for
    /// damaged. When it is back all goes on.
    @Test(arguments: Way.allCases.filter(\.isPossible)) func theFolderGoesWhileTheStoreIsOpen(way: Way) async throws {
        let harness = try await StoreHarness()
        try await harness.file("a: b\n\nc")
        let big = try await file("big", Self.large, in: harness)
        let gone = try await file("gone", Self.large + 1, in: harness)
        try await harness.store.library.delete(.file(gone.id), if: nil, of: harness.ann.id)
        // One whose bytes are still to be given back.
        let left = try await file("left", 3 * Self.large, in: harness)
        try await harness.store.library.delete(.file(left.id), if: nil, of: harness.ann.id)
        let log = try MovableLog(way, of: harness)
        defer { log.end() }
        // So that there is a segment to append to, with room.
        try await harness.file("j: k\n\nl", place: "d.eml")
        let tables = ["segment", "dead_record", "email", "file", "blob"]
        let before = try tables.map(harness.count)
        try log.takeAway()
        let attempts: [(String, () async throws -> Void)] = [
            ("mail", { try await harness.file("d: e\n\nf", place: "b.eml") }),
            (
                "large mail",
                {
                    let part = StoreHarness.Part(name: "p", bytes: [UInt8](repeating: 7, count: Self.large))
                    try await harness.file("g: h\n\ni", parts: [part], place: "c.eml")
                }
            ),
            ("small file", { _ = try await file("small", 10, in: harness) }),
            ("large file", { _ = try await file("large", 2 * Self.large, in: harness) }),
            ("purge", { _ = try await harness.store.maintenance.emptyTrash(of: harness.ann.id, actor: "test") }),
            ("compact", { try harness.store.log.compact(atMost: .max) }),
            ("readiness", { try await harness.store.maintenance.checkWritable() }),
            (
                "read",
                {
                    let location = try #require(try harness.store.log.locations(of: big.digest).first)
                    harness.store.log.reader.forget(location.segment)
                    _ = try harness.store.log.content(of: big.digest, size: big.size)
                }
            ),
        ]
        for (name, attempt) in attempts {
            await #expect("\(name)") { try await attempt() } throws: { isLost($0) }
            #expect(try DiskDirectory.names(in: log.log) == [], "\(name)")
        }
        #expect(try tables.map(harness.count) == before)
        try log.bringBack()
        for (name, attempt) in attempts {
            if way == .unmounted, name.hasPrefix("large") {
                // link(2) knows no way from one mount to another.
                await #expect("\(name)") { try await attempt() } throws: { "\($0)".contains("mounted by itself") }
            } else {
                await #expect(throws: Never.self, "\(name)") { try await attempt() }
            }
        }
        #expect(try await harness.store.maintenance.verify().findings == [])
        try harness.store.close()
    }

    /// Bytes that are to be given back are not forgotten while they are away, nor are segments without live bytes.
    @Test func nothingIsForgottenWhileTheFolderIsAway() async throws {
        let harness = try await StoreHarness()
        let log = try MovableLog(.renamed, of: harness)
        let file = try await file("gone", Self.large, in: harness)
        try await harness.store.library.delete(.file(file.id), if: nil, of: harness.ann.id)
        try harness.store.connection.write("purge") { db in
            var step = PurgeStep(db: db, scope: .everything)
            _ = try step.run(isFirst: true)
        }
        let before = try ["segment", "dead_record"].map(harness.count)
        #expect(before == [1, 1])
        try log.takeAway()
        #expect {
            try harness.store.log.reclaim()
        } throws: {
            isLost($0)
        }
        #expect(try ["segment", "dead_record"].map(harness.count) == before)
        try log.bringBack()
        #expect(try harness.store.log.reclaim() >= Int64(Self.large))
        #expect(try ["segment", "dead_record"].map(harness.count) == [0, 0])
    }

    /// A store of five segments.
    private func storeOfFive() async throws -> (StoreHarness, [String]) {
        let harness = try await StoreHarness()
        try await harness.file("a: b\n\nc")
        for number in 1...4 { _ = try await file("\(number)", Self.large + number, in: harness) }
        let names = try DiskDirectory.names(in: harness.store.connection.location.log).sorted()
        try #require(names.count == 5)
        return (harness, names)
    }

    /// Where most segments are missing the store is as if all were; where few are, it goes on.
    @Test(arguments: [
        ([0], false), ([4], false), ([1, 3], false), ([0, 1, 2], true), ([0, 2, 4], true), ([1, 2, 3, 4], true),
        ([0, 1, 2, 3, 4], true),
    ])
    func someSegmentsAreMissing(missing: [Int], isLost expected: Bool) async throws {
        let (harness, names) = try await storeOfFive()
        let location = harness.store.connection.location
        try harness.store.close()
        for index in missing {
            try #require(rename("\(location.log)/\(names[index])", "/\(harness.folder)/\(index)") == 0)
        }
        if expected {
            for mode in [OpenMode.existing, .create] {
                #expect {
                    try FundStore.open(at: location.root, mode: mode)
                } throws: { error in
                    isLost(error)
                        && ["fundmail restore", "--accept-loss", "fundmail salvage"].allSatisfy {
                            "\(error)".contains($0)
                        }
                }
            }
        } else {
            try FundStore.open(at: location.root, mode: .existing).close()
        }
        let reading = try FundStore.open(at: location.root, mode: .readOnly)
        let findings = try await reading.maintenance.verify().findings
        #expect(findings.contains { $0.detail.contains("is a disk not mounted?") } == expected, "\(findings)")
        try reading.close()
        for index in missing {
            try #require(rename("/\(harness.folder)/\(index)", "\(location.log)/\(names[index])") == 0)
        }
        harness.store = try FundStore.open(at: location.root, mode: .existing)
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// Segments in `lost/` or under another name are found by `verify --repair`.
    @Test func misplacedSegmentsAreNotLost() async throws {
        let (harness, names) = try await storeOfFive()
        let location = harness.store.connection.location
        try harness.store.close()
        for name in names[..<2] { try #require(rename("\(location.log)/\(name)", "\(location.lost)/log-\(name)") == 0) }
        for name in names[2...3] { try #require(rename("\(location.log)/\(name)", "\(location.log)/old-\(name)") == 0) }
        harness.store = try FundStore.open(at: location.root, mode: .existing)
    }

    /// A store goes on without segments that were given up for lost, and notices when the rest goes as well.
    @Test func aLossIsAccepted() async throws {
        let (harness, names) = try await storeOfFive()
        let location = harness.store.connection.location
        try harness.store.close()
        for name in names[1...3] { unlink("\(location.log)/\(name)") }
        try FundStore.open(at: location.root, mode: .acceptingLoss).close()
        harness.store = try FundStore.open(at: location.root, mode: .existing)
        let findings = try await harness.store.maintenance.verify().findings
        #expect(!findings.contains { $0.detail.contains("mounted") })
        #expect(findings.contains { $0.path == "log/\(names[1])" }, "\(findings)")
        #expect(try await harness.file("d: e\n\nf", place: "b.eml").outcome == .filed)
        #expect(try harness.count("audit WHERE action = 'log.loss'") == 1)
        try harness.store.close()
        try #require(rename(location.log, harness.folder + "/disk") == 0)
        #expect {
            try FundStore.open(at: location.root, mode: .existing)
        } throws: {
            isLost($0)
        }
    }
}
