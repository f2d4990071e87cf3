internal import Foundation
import FundStore
import FundCore
import TestSupport

/// Where a content stands in the log of a store, for tests that change its bytes. See `LogFormat` for the numbers.
struct StoredRecord {
    /// Path of the segment.
    let path: String
    /// In the segment.
    private let header: Int
    private let body: Int

    /// The first live record of this content in a segment; nil when there is none.
    fileprivate static func first(of digest: ContentDigest, in path: String) throws -> StoredRecord? {
        let segment = try Data(contentsOf: URL(fileURLWithPath: path))
        let wanted = Data(digest.bytes)
        var start = 32 + 48
        while start < segment.count, let found = segment.range(of: wanted, in: start..<segment.count) {
            let header = found.lowerBound - 48
            start = found.lowerBound + 1
            guard header + 104 <= segment.count, segment[header..<(header + 8)].elementsEqual("FUNDREC\n".utf8),
                segment[(header + 96)..<(header + 104)].elementsEqual("livelive".utf8)
            else { continue }
            let originBytes = Int(segment[header + 10]) | Int(segment[header + 11]) << 8
            return StoredRecord(path: path, header: header, body: header + 104 + (originBytes + 7) / 8 * 8)
        }
        return nil
    }

    /// Whether these bytes of the content, from an offset of it, stand where they stood.
    func holds(_ bytes: ArraySlice<UInt8>, at offset: Int) throws -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(body + offset))
        return try file.read(upToCount: bytes.count) == Data(bytes)
    }

    /// Changes a bit of the content.
    func damage(at offset: Int = 0) throws { try change(body + offset) }

    /// Changes the header, so that no record is found there.
    func lose() throws { try change(header) }

    private func change(_ position: Int) throws {
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw ServerFailure("cannot open \(path)") }
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(position))
        guard let byte = try file.read(upToCount: 1)?.first else { throw ServerFailure("\(path) ends at \(position)") }
        try file.seek(toOffset: UInt64(position))
        try file.write(contentsOf: [byte ^ 4])
    }
}

extension FundStore {
    /// Throws when no record of the log has this content.
    func record(of digest: ContentDigest) throws -> StoredRecord {
        for path in try segments {
            if let record = try StoredRecord.first(of: digest, in: path) { return record }
        }
        throw ServerFailure("the log has no record of \(digest)")
    }

    /// Whether these bytes stand anywhere in the log.
    func logHolds(_ bytes: some Sequence<UInt8>) throws -> Bool {
        let bytes = Data(bytes)
        return try segments.contains { try Data(contentsOf: URL(fileURLWithPath: $0)).range(of: bytes) != nil }
    }

    private var segments: [String] {
        get throws { try DiskDirectory.names(in: path + "/log").map { "\(path)/log/\($0)" } }
    }
}
