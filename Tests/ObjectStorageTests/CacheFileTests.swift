import FundCore
import TestSupport
import Testing

@testable import ObjectStorage

/// Blocks of an object on a disk.
struct CacheFileTests {
    private static let size = 2 * CacheFile.blockBytes + 1000
    private let folder: FolderOfTest

    init() throws { folder = try FolderOfTest() }

    private var path: String { "\(folder.path)/a" }

    private func write(_ file: CacheFile, _ block: Int64) -> [UInt8] {
        let bytes = randomBytes(file.range(of: block).count, seed: UInt64(block) + 1)
        bytes.withUnsafeBytes { file.write(block, $0) }
        return bytes
    }

    @Test func blocksComeBack() throws {
        let file = try CacheFile.make(path, of: "name", size: Self.size)
        #expect(file.blockCount == 3 && (0..<3).allSatisfy { file.read($0) == nil && !file.has($0) })
        let last = write(file, 2)
        let first = write(file, 0)
        let other = try #require(try CacheFile.open(path, of: "name"))
        #expect(other.size == Self.size && other.read(0) == first && other.read(1) == nil && other.read(2) == last)
        #expect(other.has(0) && !other.has(1))
    }

    @Test func changedBytesAreNone() throws {
        let file = try CacheFile.make(path, of: "name", size: Self.size)
        _ = write(file, 0)
        _ = write(file, 1)
        var bytes = try TestFile.read(path)
        bytes[5] ^= 1
        try TestFile.write(bytes, to: path)
        #expect(file.read(0) == nil && file.read(1) != nil)
        // A block in the place of another is none, either.
        bytes.replaceSubrange(
            0..<Int(CacheFile.blockBytes), with: bytes[Int(CacheFile.blockBytes)...].prefix(Int(CacheFile.blockBytes)))
        try TestFile.write(bytes, to: path)
        #expect(file.read(0) == nil)
    }

    @Test(arguments: [("name", 0), ("other", 0), ("name", 1), ("name", 41)])
    func onlyAWholeFileOfTheObjectIsOpened(_ name: String, _ cut: Int) throws {
        _ = try CacheFile.make(path, of: "name", size: Self.size)
        try TestFile.write(try TestFile.read(path).dropLast(cut), to: path)
        let isRight = name == "name" && cut == 0
        #expect((try CacheFile.open(path, of: name) != nil) == isRight)
        #expect(TestFile.names(in: folder.path) == (isRight ? ["a"] : []))
    }

    @Test func aFileIsMadeOnce() throws {
        let file = try CacheFile.make(path, of: "name", size: Self.size)
        let bytes = write(file, 0)
        #expect(try CacheFile.make(path, of: "name", size: Self.size).read(0) == bytes)
        #expect(throws: DiskError.self) { try CacheFile.make(path, of: "name", size: 1) }
        #expect(TestFile.names(in: folder.path) == ["a"])
    }

    @Test func oneThreadFetchesABlock() throws {
        let file = try CacheFile.make(path, of: "name", size: Self.size)
        let other = try #require(try CacheFile.open(path, of: "name"))
        var flight = file.takeFlight(of: 0..<2)
        #expect(flight != nil && other.takeFlight(of: 1..<2) == nil && file.takeFlight(of: 0..<3) == nil)
        #expect(other.takeFlight(of: 2..<3) != nil)
        flight = nil
        #expect(other.takeFlight(of: 1..<2) != nil)
    }
}

/// A folder that goes with the test.
final class FolderOfTest: Sendable {
    let path: String

    init() throws { path = try TestFile.makeFolder("cache") }

    deinit { try? DiskDirectory.removeTree(path) }
}
