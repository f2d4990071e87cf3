internal import Glibc

/// Bytes of a file that nothing else changes or shortens, in memory as they are used (mmap(2)).
package final class MappedBytes: Sendable {
    /// Limit of bytes used between two calls of `release`: the memory that a large file takes.
    package static let stepBytes = 1 << 20

    /// `@unchecked`: nothing writes to them.
    private struct Mapping: @unchecked Sendable {
        var all: UnsafeMutableRawPointer
        var byteCount: Int
        var wanted: UnsafeRawBufferPointer
    }

    private let mapping: Mapping?

    /// The bytes of `range`, for as long as this lives. Throws `DiskError`.
    package init(_ descriptor: Int32, _ range: Range<Int64>, path: String) throws(DiskError) {
        guard !range.isEmpty else {
            mapping = nil
            return
        }
        let page = Int64(sysconf(Int32(_SC_PAGESIZE)))
        let start = range.lowerBound / page * page
        let byteCount = Int(range.upperBound - start)
        guard let all = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, off_t(start)), all != MAP_FAILED else {
            throw DiskError("map", path)
        }
        mapping = Mapping(
            all: all, byteCount: byteCount,
            wanted: UnsafeRawBufferPointer(start: all + Int(range.lowerBound - start), count: range.count))
    }

    deinit { if let mapping { munmap(mapping.all, mapping.byteCount) } }

    package var bytes: UnsafeRawBufferPointer { mapping?.wanted ?? UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Gives the memory back that was taken so far. What is read again comes from the file again.
    package func release() {
        if let mapping { _ = madvise(mapping.all, mapping.byteCount, Int32(MADV_DONTNEED)) }
    }
}
