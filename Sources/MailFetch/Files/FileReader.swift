internal import Glibc
internal import FundCore

/// A file open for reading.
struct FileReader: ~Copyable {
    /// Smaller than the allocations for which malloc(3) maps memory each time.
    private static let chunkBytes = 64 * 1024

    let path: String
    private let descriptor: Int32

    init(path: String) throws(SourceError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0)
        guard descriptor >= 0 else { throw SourceError(path: path, problem: String(cString: strerror(errno))) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Copies the whole file into the spool.
    consuming func spool(into spool: SpoolDirectory) throws -> SpooledMessage {
        var writer = try spool.makeFile()
        try withUnsafeTemporaryAllocation(byteCount: Self.chunkBytes, alignment: 16) { buffer in
            while true {
                let count = try readOnce(into: buffer)
                if count == 0 { break }
                try writer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        return writer.finish()
    }

    /// The bytes at `offset`, fewer than `count` only at the end of the file.
    func read(upTo count: Int, at offset: Int64) throws(SourceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset) + off_t(filled))
            }
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw SourceError(path: path, problem: String(cString: strerror(errno))) }
            if result == 0 { break }
            filled += result
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    private func readOnce(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        while true {
            let result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw SourceError(path: path, problem: String(cString: strerror(errno))) }
            return result
        }
    }
}
