import FundCore
internal import Glibc
import Synchronization
import TestSupport
import Testing

@testable import FundStore

/// Files of drives whose bytes outlive the process that brings them.
struct PulledPartTests {
    private static let bytes = (0..<9_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    private static func part(
        _ name: String = "f", version: String = "1", of id: DriveTransfer.ID, _ harness: DriveHarness
    ) throws -> PulledPart {
        let entry = DriveEntry(name: name, isFolder: false, size: Int64(bytes.count), version: version)
        return try #require(PulledPart(of: try harness.path("docs/\(name)"), entry, in: id))
    }

    private static func names(_ harness: DriveHarness) -> [String] {
        TestFile.names(in: "\(harness.base.folder)/store/tmp")
    }

    /// A writer for a part, and the bytes that it had.
    private static func open(
        _ part: PulledPart, _ harness: DriveHarness
    ) throws -> (writer: any UploadWriter, came: Int) {
        var came = 0
        let writer = try harness.base.store.library.resumeUpload(of: part, named: "f") { came += $0 }
        #expect(writer.size == came)
        return (writer, came)
    }

    private static func append(_ range: Range<Int>, to writer: any UploadWriter) throws {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 100_000) {
            try bytes[start..<min(start + 100_000, range.upperBound)].withUnsafeBytes { try writer.append($0) }
        }
    }

    private static func running(_ harness: DriveHarness) async throws -> DriveTransfer.ID {
        let id = try await harness.pull().id
        while try await harness.drives.nextTransfer(besides: []) != nil {}
        return id
    }

    private static func add(
        _ upload: StagedUpload, to id: DriveTransfer.ID, _ harness: DriveHarness
    ) async throws -> FileEntry {
        try #require(
            try await harness.drives.addPulled(
                upload, from: try harness.path("docs/f"), version: "1", named: "f", in: [], modifiedAt: nil, of: id))
    }

    private static func content(of file: FileEntry, _ harness: DriveHarness) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try harness.base.store.library.content(of: file.digest, size: file.size).read(0..<file.size) { bytes += $0 }
        return bytes
    }

    /// The next process goes on behind the last whole block, as often as it takes.
    @Test
    func whatCameGoesOn() async throws {
        let harness = try await DriveHarness()
        let id = try await Self.running(harness)
        let part = try Self.part(of: id, harness)
        var begun = 0
        for end in [5_000_000, 5_000_001, 8_000_000, Self.bytes.count] {
            let (writer, came) = try Self.open(part, harness)
            #expect(came == begun / 65_536 * 65_536)
            // No other writer has it meanwhile.
            #expect(try Self.open(part, harness).came == 0)
            try Self.append(came..<end, to: writer)
            begun = end
            if end < Self.bytes.count { try harness.base.reopen() }
        }
        let (writer, came) = try Self.open(part, harness)
        try Self.append(came..<Self.bytes.count, to: writer)
        let upload = try writer.finish(contentType: "a/b")
        #expect(upload.digest == .of(Self.bytes) && upload.size == Int64(Self.bytes.count))
        let file = try await Self.add(upload, to: id, harness)
        #expect(try Self.content(of: file, harness) == Self.bytes)
        #expect(Self.names(harness).isEmpty)
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    /// Another state of the file begins anew, and takes away what came of the one before.
    @Test
    func statesAreNotMixed() async throws {
        let harness = try await DriveHarness()
        let id = try await Self.running(harness)
        for (name, version) in [("f", "1"), ("g", "1"), ("f", "2")] {
            let (writer, came) = try Self.open(try Self.part(name, version: version, of: id, harness), harness)
            #expect(came == 0)
            try Self.append(0..<1_000_000, to: writer)
        }
        #expect(Self.names(harness).count == 2)
        #expect(try Self.open(try Self.part("f", version: "1", of: id, harness), harness).came == 0)
        #expect(try Self.open(try Self.part("f", version: "2", of: id, harness), harness).came == 0)
        #expect(try Self.open(try Self.part("g", of: id, harness), harness).came == 983_040)
        let other = try await Self.running(harness)
        #expect(try Self.open(try Self.part("g", of: other, harness), harness).came == 0)
        // A store that tells neither version nor time cannot tell states apart.
        let entry = DriveEntry(name: "f", isFolder: false, size: 9_000_001, storeID: "id")
        #expect(PulledPart(of: try harness.path("f"), entry, in: id) == nil)
    }

    /// Parts go with their transfer, and when they are given up.
    @Test
    func nothingStays() async throws {
        let harness = try await DriveHarness()
        let (one, other) = (try await Self.running(harness), try await Self.running(harness))
        for id in [one, other] {
            for name in ["f", "g"] {
                let (writer, _) = try Self.open(try Self.part(name, of: id, harness), harness)
                try Self.append(0..<1_000_000, to: writer)
            }
        }
        try Self.open(try Self.part("g", of: other, harness), harness).writer.giveUp()
        #expect(Self.names(harness).count == 3)
        try await harness.drives.endTransfer(one, as: .cancelled, problem: nil, detail: nil)
        #expect(Self.names(harness).count == 1)
        #expect(try await harness.base.store.maintenance.sweep() == 0)
        #expect(try Self.open(try Self.part("f", of: other, harness), harness).came == 983_040)
        // Its process was killed when the row said that the transfer has ended.
        try harness.base.store.connection.write("end") {
            try $0.execute("UPDATE drive_transfer SET state = 'done', ended_at = 1 WHERE id = ?", [other])
        }
        do {
            let open = try Self.open(try Self.part("f", of: other, harness), harness)
            #expect(try await harness.base.store.maintenance.sweep() == 0)
            withExtendedLifetime(open) {}
        }
        #expect(try await harness.base.store.maintenance.sweep() == 1)
        #expect(Self.names(harness).isEmpty)
    }

    /// A process that was killed when the log had the bytes left a second name of a segment: nothing is written by it.
    @Test
    func theLogIsNotWrittenBySecondNames() async throws {
        let harness = try await DriveHarness()
        let id = try await Self.running(harness)
        let part = try Self.part(of: id, harness)
        var name: String?
        func bring() throws -> StagedUpload {
            let (writer, came) = try Self.open(part, harness)
            #expect(came == 0)
            name = Self.names(harness).first { $0.hasPrefix("pull-") }
            try Self.append(0..<Self.bytes.count, to: writer)
            return try writer.finish(contentType: "a/b")
        }
        let file = try await Self.add(try bring(), to: id, harness)
        let store = "\(harness.base.folder)/store"
        let segment = try #require(
            TestFile.names(in: "\(store)/log").first { name in
                (try? TestFile.read("\(store)/log/\(name)").count) ?? 0 > Self.bytes.count
            })
        #expect(link("\(store)/log/\(segment)", "\(store)/tmp/\(try #require(name))") == 0)
        // The segment is open, and held, while this process may read it.
        try harness.base.reopen()
        _ = try bring()
        #expect(try Self.content(of: file, harness) == Self.bytes)
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    /// Another process appends, and is killed: the next one goes on with all that stands there, once none writes.
    @Test
    func whatAnotherProcessAppendedGoesOn() async throws {
        let harness = try await DriveHarness()
        let id = try await Self.running(harness)
        let part = try Self.part(of: id, harness)
        var kept: Int32 = -1
        do {
            let (writer, _) = try Self.open(part, harness)
            try Self.append(0..<100_000, to: writer)
            let file = try #require(writer.growing(to: Int64(Self.bytes.count)))
            let end = try file.beginGrowing()
            #expect(throws: StoreError.self) { try file.beginGrowing() }
            kept = dup(end.descriptor)
            try Self.write(100_000..<2_000_001, to: kept)
            while try file.takeGrown() > 0 {}
            // Whole blocks, in pieces of four.
            #expect(file.size % 65_536 == 0 && file.size > 1_700_000)
            #expect(end.maxFileBytes - Int64(Self.bytes.count) > 0)
        }
        try harness.base.reopen()
        // The process that appends lives on.
        #expect(try Self.open(part, harness).came == 0)
        close(kept)
        let (writer, came) = try Self.open(part, harness)
        #expect(came == 2_000_001)
        let file = try #require(writer.growing(to: Int64(Self.bytes.count)))
        for range in [2_000_001..<2_000_002, 2_000_002..<7_000_000, 7_000_000..<Self.bytes.count] {
            let end = try file.beginGrowing()
            try Self.write(range, to: end.descriptor)
            try file.endGrowing()
            #expect(file.size == range.upperBound)
        }
        let upload = try writer.finish(contentType: "a/b")
        #expect(upload.digest == .of(Self.bytes))
        #expect(throws: StoreError.self) { try file.beginGrowing() }
        let added = try await Self.add(upload, to: id, harness)
        #expect(try Self.content(of: added, harness) == Self.bytes)
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    private static func write(_ range: Range<Int>, to end: Int32) throws {
        let isWritten = bytes[range].withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { Glibc.write(end, $0.baseAddress, $0.count) }
        }
        #expect(isWritten)
    }
}
