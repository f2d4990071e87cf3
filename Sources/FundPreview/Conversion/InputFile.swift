internal import ChildProcesses
internal import Glibc
internal import FundCore

/// The bytes of a content in a file without a name, which a converter may read. Small ones are in memory.
struct InputFile: ~Copyable {
    /// More is refused before it is read.
    static let maxBytes: Int64 = 256 << 20
    /// Larger ones are written to a disk.
    static let maxMemoryBytes: Int64 = 16 << 20

    let descriptor: Int32

    /// - Parameter folder: for large ones. Throws `DiskError`, and what reading the content throws. Blocks.
    init(_ content: any StoredContent, in folder: String) throws {
        let file = try InputFile(holding: content.size, in: folder)
        var position: Int64 = 0
        try content.read(0..<content.size) { bytes in
            guard SystemCall.writeAll(bytes, to: file.descriptor, at: position) else {
                throw DiskError("write", folder)
            }
            position += Int64(bytes.count)
        }
        self = file
    }

    /// Holds bytes that are in memory.
    init(_ bytes: [UInt8]) throws {
        let file = try InputFile(holding: 0, in: "")
        let isWritten = bytes.withUnsafeBytes { SystemCall.writeAll($0, to: file.descriptor, at: 0) }
        guard isWritten else { throw DiskError("write", "a file in memory") }
        self = file
    }

    /// Holds nothing yet.
    /// - Parameter size: bytes that it will hold at most.
    init(holding size: Int64, in folder: String) throws(DiskError) {
        guard size <= Self.maxMemoryBytes else {
            descriptor = try NamelessFile.open(in: folder)
            return
        }
        do throws(ProcessError) { descriptor = try MemoryFile().take() } catch {
            throw DiskError("create", "a file in memory", code: error.code)
        }
    }

    deinit { close(descriptor) }
}
