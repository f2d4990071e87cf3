import Crypto
internal import Glibc
import FundCore

/// The file into which a child writes decoded attachments. It has no name, so a child cannot choose where it writes and
/// nothing is left after a crash.
final class PackFile {
    /// A pack up to this size is read once and kept: nine messages of ten, in one read.
    private static let cachedBytes = 1 << 20
    private static let chunkBytes = 256 << 10

    let descriptor: Int32
    private var cache: [UInt8] = []
    /// Range of the pack that `cache` holds; nil while all of it is only on disk.
    private var cached: Range<Int64>?
    private var isLarge = false

    init(directory: String) throws(ChildError) {
        do throws(DiskError) { descriptor = try NamelessFile.open(in: directory) } catch { throw .own(error) }
    }

    deinit { close(descriptor) }

    func byteCount() -> Int64 {
        var status = stat()
        let count = fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
        isLarge = count > Int64(Self.cachedBytes)
        return count
    }

    /// True when all that it holds of the last message is in memory: the file may be written over.
    private(set) var isInMemory = true

    /// Makes it ready for messages; what was loaded stays. A small one is written over, which costs much less than to
    /// empty it first.
    func reset() throws(ChildError) {
        guard isLarge else { return }
        isLarge = false
        guard ftruncate(descriptor, 0) == 0 else {
            throw .own(ParserError(.cannotRead, "pack", errno))
        }
    }

    /// Takes up what a message has in it; reads it into memory when that is little.
    func load(_ range: Range<Int64>) throws(ChildError) {
        cached = nil
        isInMemory = range.count <= Self.cachedBytes
        guard isInMemory, !range.isEmpty else { return }
        if cache.count < range.count { cache = [UInt8](repeating: 0, count: max(range.count, 64 << 10)) }
        do {
            try cache.withUnsafeMutableBytes {
                try fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<range.count]), at: range.lowerBound)
            }
        } catch { throw .own(error) }
        cached = range
    }

    func digest(_ range: Range<Int64>) throws(ChildError) -> ContentDigest {
        var hash = SHA256()
        do {
            try chunks(of: range) { hash.update(bufferPointer: $0) }
        } catch { throw .own(error) }
        return ContentDigest(hash.finalize())
    }

    /// Gives the bytes of a range. Those from disk are hashed again, as the child could have changed them: throws then.
    func read(
        _ range: Range<Int64>, expecting digest: ContentDigest, _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard cached == nil else { return try chunks(of: range, consume) }
        var hash = SHA256()
        try chunks(of: range) { chunk in
            hash.update(bufferPointer: chunk)
            try consume(chunk)
        }
        guard ContentDigest(hash.finalize()) == digest else {
            throw ParserError(.changed, "an attachment changed while it was stored")
        }
    }

    private func chunks(of range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let cached {
            let start = Int(range.lowerBound - cached.lowerBound)
            return try cache.withUnsafeBytes {
                try consume(UnsafeRawBufferPointer(rebasing: $0[start..<(start + range.count)]))
            }
        }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 16)
        defer { chunk.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let count = min(Self.chunkBytes, Int(range.upperBound - position))
            let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<count])
            try fill(part, at: position)
            try consume(UnsafeRawBufferPointer(part))
            position += Int64(count)
        }
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        let count = SystemCall.fill(buffer, from: descriptor, at: offset)
        if count < 0 { throw ParserError(.changed, "pack", errno) }
        if count < buffer.count { throw ParserError(.changed, "pack: too short") }
    }
}
