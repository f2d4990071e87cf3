internal import Glibc

/// Reads files of the spool and the store in constant memory.
package enum FileBytes {
    private static let chunkBytes = 256 * 1024

    /// Gives the bytes in order. Symbolic links are not followed: the store has none. Throws `DiskError` when the file
    /// cannot be opened or read, and the errors of `consume`.
    package static func read(_ path: String, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw DiskError("open", path) }
        defer { close(descriptor) }
        try withUnsafeTemporaryAllocation(byteCount: chunkBytes, alignment: 16) { buffer in
            while true {
                let count = SystemCall.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
                guard count >= 0 else { throw DiskError("read", path) }
                if count == 0 { return }
                try consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    /// Gives these bytes of an open file in order. Throws `DiskError` when they cannot be read or are not there, and
    /// the errors of `consume`.
    ///
    /// - Parameter operation: what was tried, for the error, as is `path`.
    package static func read(
        _ range: Range<Int64>, of descriptor: Int32, path: String, trying operation: String = "read",
        _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(byteCount: chunkBytes, alignment: 16) { buffer in
            var position = range.lowerBound
            while position < range.upperBound {
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(range.upperBound - position)))
                guard SystemCall.fill(part, from: descriptor, at: position) == part.count else {
                    throw DiskError(operation, path)
                }
                try consume(UnsafeRawBufferPointer(part))
                position += Int64(part.count)
            }
        }
    }
}
