internal import Glibc

/// Reads a file of the spool or the store from its beginning to its end, in constant memory.
package enum FileBytes {
    private static let chunkBytes = 256 * 1024

    /// So many bytes from the beginning of the file, or all of them. Throws `SpoolError`.
    package static func beginning(of path: String, upTo count: Int) throws -> [UInt8] {
        struct Enough: Error {}
        var bytes: [UInt8] = []
        do {
            try read(path) { chunk in
                bytes += chunk.prefix(count - bytes.count)
                if bytes.count == count { throw Enough() }
            }
        } catch is Enough {}
        return bytes
    }

    /// Gives the bytes in order. Symbolic links are not followed: the store has none. Throws `SpoolError` when the file
    /// cannot be opened or read, and the errors of `consume`.
    package static func read(_ path: String, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw SpoolError("open", path) }
        defer { close(descriptor) }
        try withUnsafeTemporaryAllocation(byteCount: chunkBytes, alignment: 16) { buffer in
            while true {
                let count = SystemCall.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
                guard count >= 0 else { throw SpoolError("read", path) }
                if count == 0 { return }
                try consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }
}
