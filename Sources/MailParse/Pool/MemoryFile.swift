import CLinux
internal import Glibc
import FundCore

/// A file in memory that holds given bytes, for a child to read.
struct MemoryFile: ~Copyable {
    let descriptor: Int32
    let count: Int

    init(_ bytes: [UInt8]) throws(ChildError) {
        let closeOnExec: UInt32 = 1  // MFD_CLOEXEC, which glibc shows only under _GNU_SOURCE
        let descriptor = memfd_create("fundmail-mail", closeOnExec)
        guard descriptor >= 0 else { throw .own(ParserError(.cannotRead, "memfd_create", errno)) }
        let isWritten = bytes.withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { write(descriptor, $0.baseAddress, $0.count) }
        }
        guard isWritten else {
            let error = errno
            close(descriptor)
            throw .own(ParserError(.cannotRead, "a file in memory", error))
        }
        (self.descriptor, count) = (descriptor, bytes.count)
    }

    deinit { close(descriptor) }
}
