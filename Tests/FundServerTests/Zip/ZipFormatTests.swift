internal import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Zip files beyond what the old format holds. Another program reads them.
@Suite(.timeLimit(.minutes(10))) struct ZipFormatTests {
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
        let path = "/tmp/\(SpoolDirectory.uniqueName(prefix: "zip")).zip"
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
        let path = "/tmp/\(SpoolDirectory.uniqueName(prefix: "zip")).zip"
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
            if size == 5 {
                try file.write(contentsOf: Data(hello))
            } else {
                try file.seek(toOffset: file.offset() + UInt64(size))
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
