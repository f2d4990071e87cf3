internal import CLinux
internal import FundCore
internal import Glibc

/// A file in memory without a name (memfd_create(2)), which is passed to a child or filled by one.
package struct MemoryFile: ~Copyable {
    package let descriptor: Int32

    /// An empty file.
    package init() throws(ProcessError) { try self.init(canBeSealed: false) }

    /// A file of these bytes, which cannot be changed any more.
    package init(sealed bytes: [UInt8]) throws(ProcessError) {
        let file = try MemoryFile(canBeSealed: true)
        try file.write(bytes)
        guard fundmail_seal(file.descriptor) == 0 else { throw ProcessError("seals of a file in memory", code: errno) }
        self = file
    }

    /// A file of `byteCount` zeros. Its size is fixed, and this process alone can change its bytes, through `mapping`.
    ///
    /// - Parameter mapping: the bytes; to be unmapped by the caller.
    package init(byteCount: Int, mapping: inout UnsafeMutableRawBufferPointer) throws(ProcessError) {
        let file = try MemoryFile(canBeSealed: true)
        // Mapped before it is sealed: only what is mapped by then can be written.
        guard ftruncate(file.descriptor, off_t(byteCount)) == 0,
            let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0),
            start != MAP_FAILED
        else { throw ProcessError("mapping of a file in memory", code: errno) }
        guard fundmail_seal_but_for_mapping(file.descriptor) == 0 else {
            let error = ProcessError("seals of a file in memory", code: errno)
            munmap(start, byteCount)
            throw error
        }
        mapping = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        self = file
    }

    private init(canBeSealed: Bool) throws(ProcessError) {
        // MFD_CLOEXEC and MFD_ALLOW_SEALING, which glibc shows only under _GNU_SOURCE
        let descriptor = memfd_create("fundmail", canBeSealed ? 1 | 2 : 1)
        guard descriptor >= 0 else { throw ProcessError("a file in memory", code: errno) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The descriptor, which the caller closes from now on.
    package consuming func take() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Size in bytes.
    package var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// A copy of the beginning, so that later writes of another process do not change it.
    package func bytes(atMost limit: Int) throws(ProcessError) -> [UInt8] {
        let count = min(size, limit)
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let read = SystemCall.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: 0)
            if read < 0 { failure = errno }
            filled = max(read, 0)
        }
        if let failure { throw ProcessError("read of a file in memory", code: failure) }
        return bytes
    }

    /// Writes at the beginning.
    package func write(_ bytes: [UInt8]) throws(ProcessError) {
        let isWritten = bytes.withUnsafeBytes { SystemCall.writeAll($0, to: descriptor, at: 0) }
        guard isWritten else { throw ProcessError("write to a file in memory", code: errno) }
    }
}
