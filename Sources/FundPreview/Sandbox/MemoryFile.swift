import CLinux
internal import Glibc
import FundCore

/// A file in memory without a name (memfd_create(2)): what a converter writes, or a program of seccomp(2).
struct MemoryFile: ~Copyable {
    let descriptor: Int32

    /// Empty.
    init() throws(SandboxError) {
        descriptor = memfd_create("fundmail-preview", 1 /* MFD_CLOEXEC */)
        guard descriptor >= 0 else { throw SandboxError("a file in memory", code: errno) }
    }

    deinit { close(descriptor) }

    /// In bytes.
    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Its beginning. What is read does not change any more, whatever still writes to the file.
    func bytes(atMost limit: Int) throws(SandboxError) -> [UInt8] {
        let count = min(size, limit)
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let read = SystemCall.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: 0)
            if read < 0 { failure = errno }
            filled = max(read, 0)
        }
        if let failure { throw SandboxError("read of a file in memory", code: failure) }
        return bytes
    }

    /// Writes at its beginning.
    func write(_ bytes: [UInt8]) throws(SandboxError) {
        let isWritten = bytes.withUnsafeBytes { SystemCall.writeAll($0, to: descriptor, at: 0) }
        guard isWritten else { throw SandboxError("write to a file in memory", code: errno) }
    }
}

/// Texts for errors of the system.
enum SystemText {
    /// As strerror(3) says it.
    static func of(_ code: Int32) -> String { String(cString: strerror(code)) }
}
