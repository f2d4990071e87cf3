import struct Crypto.SHA256
import Foundation
import GRDB
import TestSupport
import Testing

@testable import FundClient

@Suite struct CacheTests {
    private final class Place: Sendable {
        let folder = FileManager.default.temporaryDirectory.path + "/fund-cache-\(UUID())"
        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func cache(_ limits: CacheLimits = CacheLimits()) throws -> ContentCache {
            ContentCache(of: try Catalogue(in: folder), limits: limits)
        }
    }

    private static func put(_ text: String, _ size: Int, in cache: ContentCache, age: Int64 = 100) async throws
        -> FundClient.Digest
    {
        let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: size - text.utf8.count)
        let digest = try #require(Digest(bytes: SHA256.hash(data: bytes)))
        let part = cache.partPath(of: digest)
        try LocalFiles.makeFolders(LocalFiles.folder(of: part))
        try Data(bytes).write(to: URL(fileURLWithPath: part))
        try await cache.adopt(digest, size: Int64(size))
        try await cache.database.write { db in
            try db.execute(
                sql: "UPDATE object SET used_at = used_at - ? WHERE digest = ?", arguments: [age, digest.column])
        }
        return digest
    }

    @Test func theLeastRecentlyUsedGoFirstAndPinnedOnesStay() async throws {
        let place = Place()
        let cache = try place.cache(CacheLimits(budget: 3000, expiry: nil))
        let first = try await Self.put("first", 1000, in: cache, age: 500)
        let second = try await Self.put("second", 1000, in: cache, age: 400)
        let third = try await Self.put("third", 1000, in: cache, age: 300)
        try await cache.pin(first)
        // A favourite.
        try await cache.database.write { db in
            try db.execute(
                sql: "INSERT INTO file VALUES (1, 1, NULL, 'a', 1000, 'a/b', ?, 0, 0, NULL, NULL, 1, NULL, 1)",
                arguments: [second.column])
        }
        let fourth = try await Self.put("fourth", 1000, in: cache)
        for digest in [first, second, fourth] { #expect(try await cache.holds(digest)) }
        #expect(try await !cache.holds(third))
        #expect(try await cache.file(with: third) == nil)
        #expect(!FileManager.default.fileExists(atPath: cache.path(of: third)))
        #expect(try await cache.byteCount() == 3000)
        try await cache.unpin(first)
        _ = try await Self.put("fifth", 1000, in: cache)
        #expect(try await !cache.holds(first))
    }

    @Test func whatExpiredGoes() async throws {
        let place = Place()
        let cache = try place.cache(CacheLimits(expiry: .seconds(200)))
        let old = try await Self.put("old", 10, in: cache, age: 300)
        let new = try await Self.put("new", 10, in: cache, age: 100)
        #expect(try await !cache.holds(old))
        #expect(try await cache.holds(new))
    }

    @Test func aSweepPutsRightWhatDeadProcessesLeft() async throws {
        let place = Place()
        let cache = try place.cache()
        let (kept, lost, removed) = (
            try await Self.put("kept", 10, in: cache), try await Self.put("lost", 10, in: cache),
            try await Self.put("removed", 10, in: cache)
        )
        // Renamed, but the row was not written; the row was written, but the file is gone.
        try await cache.database.write { try ContentCache.forget(lost, $0) }
        try LocalFiles.remove(cache.path(of: removed))
        // Parts: an old one, and one of today.
        let part = cache.partPath(of: kept)
        try Data([1]).write(to: URL(fileURLWithPath: part))
        let old = cache.partPath(of: removed)
        try Data([1]).write(to: URL(fileURLWithPath: old))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -8 * 86_400)], ofItemAtPath: old)
        let sweep = try await cache.sweep()
        #expect(sweep.adoptedCount == 1 && sweep.missingCount == 1 && sweep.partCount == 1, "\(sweep)")
        for digest in [kept, lost] { #expect(try await cache.holds(digest)) }
        #expect(try await !cache.holds(removed))
        #expect(FileManager.default.fileExists(atPath: part) && !FileManager.default.fileExists(atPath: old))
        #expect(try await cache.byteCount() == 20)
    }
}
