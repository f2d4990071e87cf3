import CLinux
internal import Glibc
import FundCore

/// A file in memory that holds given bytes, for a child to read: it can change nothing of it.
struct MemoryFile: ~Copyable {
    let descriptor: Int32
    let count: Int

    init(_ bytes: [UInt8]) throws(ChildError) {
        // MFD_CLOEXEC and MFD_ALLOW_SEALING, which glibc shows only under _GNU_SOURCE
        let descriptor = memfd_create("fundmail-mail", 1 | 2)
        guard descriptor >= 0 else { throw .own(ParserError(.cannotRead, "memfd_create", errno)) }
        let isWritten = bytes.withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { write(descriptor, $0.baseAddress, $0.count) }
        }
        guard isWritten, fundmail_seal(descriptor) == 0 else {
            let error = errno
            close(descriptor)
            throw .own(ParserError(.cannotRead, "a file in memory", error))
        }
        (self.descriptor, count) = (descriptor, bytes.count)
    }

    deinit { close(descriptor) }

    /// The descriptor, which the caller closes from now on.
    consuming func take() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
