internal import Glibc
import FundCore

/// Copies bytes of a segment into another file, without what was given back to the disk (SEEK_DATA and SEEK_HOLE of
/// lseek(2)).
struct SegmentCopy {
    private static let chunkBytes = 1 << 20

    let original: any SegmentReader
    /// Bytes that were written, without holes.
    private(set) var copiedBytes: Int64 = 0

    init(of original: any SegmentReader) { self.original = original }

    /// Writes a range of the segment to the same place of a file, which ends there then and is durable. The file is
    /// made if it is not there. Throws `LogDamage` when the segment ends before or cannot be read, `DiskError`.
    mutating func write(_ range: Range<Int64>, into path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DiskError("create", path) }
        defer { close(descriptor) }
        try write(range, to: descriptor, path)
        // The end may be a hole, and what stood there behind it is of a backup that was broken off.
        guard ftruncate(descriptor, off_t(range.upperBound)) == 0 else { throw DiskError("write", path) }
        guard fdatasync(descriptor) == 0 else { throw DiskError("sync", path) }
    }

    /// Writes a range to the same place of an open file; throws as the other `write`.
    ///
    /// - Parameter hasOtherBytes: the file has other bytes there, so that zeros are written for what was given back.
    mutating func write(
        _ range: Range<Int64>, to descriptor: Int32, _ path: String, hasOtherBytes: Bool = false
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 4096)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let rest = position..<range.upperBound
            guard let data = hasOtherBytes ? rest : original.nextData(from: position) else { break }
            position = data.lowerBound
            let end = min(range.upperBound, data.upperBound, position + Int64(Self.chunkBytes))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(max(0, end - position))))
            guard !part.isEmpty else { break }
            guard try original.fill(part, at: position) == part.count else {
                throw LogDamage(.cutOff, original.number, position)
            }
            guard SystemCall.writeAll(UnsafeRawBufferPointer(part), to: descriptor, at: position) else {
                throw DiskError("write", path)
            }
            position += Int64(part.count)
            copiedBytes += Int64(part.count)
        }
    }
}
