internal import Foundation
import FundCore
import NIOCore
import TestSupport
import Testing

@testable import FundServer

/// Contents as deflate, which zlib reads, cut into pieces of any size.
@Suite struct StoredBlocksTests {
    @Test(
        .startsPrograms,
        arguments: [(1, 1), (5, 2), (65_535, 65_535), (65_536, 65_535), (65_536, 1000), (200_000, 65_536)])
    func areDeflate(_ size: Int, _ piece: Int) async throws {
        let content = ByteBuffer(bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) })
        var framed = ByteBuffer()
        for start in stride(from: 0, to: size, by: piece) {
            let part = try #require(content.getSlice(at: start, length: min(piece, size - start)))
            framed.writeImmutableBuffer(StoredBlocks.framed(part, at: Int64(start), of: Int64(size)))
        }
        #expect(Int64(framed.readableBytes) == StoredBlocks.length(of: Int64(size)))
        let path = "/tmp/\(DiskDirectory.uniqueName(prefix: "deflate"))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(framed.readableBytesView).write(to: URL(fileURLWithPath: path))
        let script = """
            import sys, zlib
            reader = zlib.decompressobj(-15)
            found = reader.decompress(open(sys.argv[1], "rb").read())
            print(found == bytes(i * 7 & 255 for i in range(int(sys.argv[2]))), reader.eof, len(reader.unused_data))
            """
        let found = try await offPool { try ToolRun.output(["python3", "-c", script, path, "\(size)"]) }
        #expect(found == "True True 0\n")
    }

    @Test func nothingTakesNothing() { #expect(StoredBlocks.length(of: 0) == 0) }
}

/// Zip files beyond what the old format holds. Another program reads them.
@Suite(.startsPrograms, .timeLimit(.minutes(10))) struct ZipFormatTests {
    private static func items(_ count: Int) -> [ZipItem] {
        (0..<count).map { ZipItem(.folder, "f\($0)", in: nil, size: 0, modifiedAt: Timestamp(Int64($0))) }
    }

    /// 16 bits count 65,535 entries, of which the last number says that Zip64 has it.
    @Test(arguments: [0, 1, 65_534, 65_535, 65_536, 100_000]) func countsEntries(_ count: Int) async throws {
        let plan = ZipPlan(Self.items(count))
        var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
        for item in plan.items {
            let entry = try plan.entry(item)
            #expect(Int64(entry.header().count) == entry.headerLength)
            directory += entry.directoryRecord(checksum: 0, size: 0, at: Int64(bytes.count))
            bytes += entry.header()
        }
        let offset = bytes.count
        bytes += directory
        bytes += ZipEnd.record(count: count, offset: Int64(offset), size: Int64(directory.count))
        #expect(try plan.length() == Int64(bytes.count))
        let path = "/tmp/\(DiskDirectory.uniqueName(prefix: "zip")).zip"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let found = try await offPool {
            try ToolRun.output([
                "python3", "-c",
                "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(len(z.namelist()), z.testzip())", path,
            ])
        }
        #expect(found == "\(count) None\n")
    }

    /// A file of 5 GiB that is a hole, and a small one behind it: sizes, offsets and the directory need Zip64.
    @Test func passesFourGigabytes() async throws {
        let path = "/tmp/\(DiskDirectory.uniqueName(prefix: "zip")).zip"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        let plan = ZipPlan([
            ZipItem(.file(1, .of([])), "limit", in: nil, size: 0, modifiedAt: 0),
            ZipItem(.file(2, .of([])), "large", in: nil, size: 5 << 30, modifiedAt: 4_102_444_800),
            ZipItem(.file(3, .of([])), "small", in: nil, size: 5, modifiedAt: 1_700_000_001),
        ])
        let (hello, checksums): ([UInt8], [UInt32]) = (Array("hello".utf8), [0, 0, 0x3610_a686])
        var directory: [UInt8] = []
        for (index, item) in plan.items.enumerated() {
            let (entry, size) = (try plan.entry(item), try #require(item.size))
            let offset = Int64(try file.offset())
            directory += entry.directoryRecord(checksum: checksums[index], size: size, at: offset)
            try file.write(contentsOf: Data(entry.header()))
            let framed = StoredBlocks.framed(ByteBuffer(bytes: hello), at: 0, of: size)
            if size == 5 {
                try file.write(contentsOf: Data(framed.readableBytesView))
            } else if size > 0 {
                // The head of the first block, and a hole.
                try file.write(contentsOf: Data(framed.readableBytesView.prefix(5)))
                try file.seek(toOffset: file.offset() + UInt64(entry.dataLength - 5))
            }
            let descriptor = entry.descriptor(checksum: checksums[index], size: size)
            #expect(Int64(descriptor.count) == entry.descriptorLength)
            try file.write(contentsOf: Data(descriptor))
        }
        let offset = Int64(try file.offset())
        try file.write(contentsOf: Data(directory))
        try file.write(contentsOf: Data(ZipEnd.record(count: 3, offset: offset, size: Int64(directory.count))))
        #expect(try plan.length() == Int64(try file.offset()))
        try file.close()
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            print([(i.filename, i.file_size, i.date_time) for i in z.infolist()])
            print(z.read("small"), z.open("large").read(4))
            """
        let found = try await offPool { try ToolRun.output(["python3", "-c", script, path]) }
        #expect(
            found
                == "[('limit', 0, (1980, 1, 1, 0, 0, 0)), ('large', 5368709120, (2100, 1, 1, 0, 0, 0)), "
                + "('small', 5, (2023, 11, 14, 22, 13, 20))]\nb'hello' b'\\x00\\x00\\x00\\x00'\n")
    }
}
