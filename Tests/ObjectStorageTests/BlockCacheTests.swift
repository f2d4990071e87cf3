import FundCore
import MailConnection
import TestSupport
import Testing

@testable import ObjectStorage

/// Objects of OpenStack Swift that are read through a cache.
@Suite(.startsPrograms) struct BlockCacheTests {
    private static let key = ObjectKey(validating: "v1/a/seg/1-abc")
    private static let size = 3_000_000
    private static let bytes = randomBytes(size, seed: 5)

    private let harness: StoreHarness
    private let proxy: FaultyHTTPProxy
    private let folder: FolderOfTest

    init() throws {
        harness = try StoreHarness()
        proxy = try FaultyHTTPProxy(to: harness.server.port)
        folder = try FolderOfTest()
        try harness.bucket().put(Self.bytes, at: Self.key)
    }

    private func cache(_ maxBytes: Int64 = 1 << 30) throws -> BlockCache {
        try BlockCache("\(folder.path)/blocks", maxBytes: maxBytes)
    }

    private func bucket() throws -> Bucket { try harness.bucket(port: proxy.port) { $0.attempts = 1 } }

    private func read(_ object: CachedObject, _ range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = 0
            count = try object.fill(UnsafeMutableRawBufferPointer(buffer), at: Int64(range.lowerBound))
        }
    }

    @Test(arguments: [
        0..<10, 65_530..<65_550, 262_000..<600_000, 2_999_990..<3_000_000, 2_900_000..<3_100_000, 0..<3_000_000,
    ])
    func anyRangeIsRead(_ range: Range<Int>) throws {
        let object = try cache().object(Self.key, in: bucket())
        #expect(object.size == Int64(Self.size))
        for _ in 0..<2 {
            let bytes = try read(object, range)
            #expect(bytes.elementsEqual(Self.bytes[range.clamped(to: 0..<Self.size)]))
        }
    }

    @Test func nothingIsBehindTheEnd() throws {
        #expect(try read(try cache().object(Self.key, in: bucket()), 3_000_000..<3_000_010) == [])
    }

    /// Reading a whole object by small pieces takes a request for each megabyte.
    @Test func requestsAreFew() async throws {
        let object = try cache().object(Self.key, in: bucket())
        for start in stride(from: 0, to: Self.size, by: 50_000) {
            #expect(try read(object, start..<start + 50_000) == Array(Self.bytes[start..<start + 50_000]))
        }
        #expect(proxy.requests.count <= 5, "\(proxy.requests)")
    }

    @Test func whatIsHereIsReadWithoutTheStore() throws {
        _ = try read(try cache().object(Self.key, in: bucket()), 0..<1_000_000)
        proxy.stop()
        // Another process.
        let object = try cache().object(Self.key, in: bucket())
        #expect(try read(object, 10..<1_000_000) == Array(Self.bytes[10..<1_000_000]))
        let error = #expect(throws: ObjectStorageError.self) { try read(object, 2_000_000..<2_000_001) }
        #expect([.unreachable, .lost].contains(error?.code))
    }

    @Test func damageIsFetchedAgain() throws {
        let object = try cache().object(Self.key, in: bucket())
        _ = try read(object, 0..<100)
        let path = "\(folder.path)/blocks/\(TestFile.names(in: "\(folder.path)/blocks")[0])"
        var file = try TestFile.read(path)
        file[50] ^= 1
        try TestFile.write(file, to: path)
        #expect(try read(object, 0..<100) == Array(Self.bytes[0..<100]))
        #expect(proxy.requests.count == 2)
        #expect(try read(object, 0..<100) == Array(Self.bytes[0..<100]))
        #expect(proxy.requests.count == 2)
    }

    @Test func manyReadersAskOnce() async throws {
        let (cache, bucket) = (try cache(), try bucket())
        _ = try cache.object(Self.key, in: bucket)
        let before = proxy.requests.count
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await offPool {
                        // A reader of its own, as in another process.
                        let object = try cache.object(Self.key, in: bucket)
                        return try self.read(object, 2_000_000..<2_200_000) == Array(Self.bytes[2_000_000..<2_200_000])
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(proxy.requests.count == before + 1)
    }

    @Test func theCacheIsBounded() throws {
        let cache = try cache(2_000_000)
        for number in 0..<4 {
            let key = ObjectKey(validating: "v1/a/seg/\(number)-x")
            try harness.bucket().put(Array(Self.bytes[..<1_000_000]), at: key)
            let object = try cache.object(key, in: bucket())
            #expect(try read(object, 0..<1_000_000) == Array(Self.bytes[..<1_000_000]))
        }
        let names = TestFile.names(in: "\(folder.path)/blocks")
        #expect((1...2).contains(names.count), "\(names)")
        // An object that is larger than the cache is read all the same.
        let large = try cache.object(Self.key, in: bucket())
        #expect(try read(large, 0..<Self.size) == Self.bytes)
    }

    @Test func anObjectThatIsMissingIsTold() throws {
        let error = #expect(throws: ObjectStorageError.self) {
            try cache().object(ObjectKey(validating: "v1/nothing"), in: bucket())
        }
        #expect(error?.code == .missing)
    }
}
