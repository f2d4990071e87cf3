internal import Glibc
internal import Synchronization

/// Takes the bytes of one message and hashes them on the way: up to `memoryBytes` in memory, from there on in a file,
/// in constant memory. Without `finish` nothing is left of it.
package struct SpoolWriter: ~Copyable {
    /// A message up to this size never touches the disk before it is stored, as long as all those together have no more
    /// than `SpoolMemory.maxBytes`.
    package static let memoryBytes = 1 << 20
    /// Room is requested in steps of this many bytes.
    private static let roomStep: Int64 = 1 << 20

    private let directory: SpoolDirectory
    private var memory: [UInt8] = []
    /// The file of a large message.
    private var descriptor: Int32 = -1
    /// Size up to which `SpoolDirectory.require` has granted room.
    private var allowedSize: Int64 = 0
    private var size: Int64 = 0
    private var digests: MessageDigests

    init(in directory: SpoolDirectory, expecting size: Int64) {
        directory.faults.reach(.beforeSpoolWrite)
        self.directory = directory
        digests = MessageDigests(key: directory.fingerprintKey)
        if (1...Int64(Self.memoryBytes)).contains(size) { memory.reserveCapacity(Int(size)) }
    }

    deinit {
        SpoolMemory.give(back: memory.count)
        if descriptor >= 0 { close(descriptor) }
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
        digests.update(bytes)
        let end = size + Int64(bytes.count)
        defer { size = end }
        if descriptor < 0 {
            if end <= Int64(Self.memoryBytes), SpoolMemory.take(bytes.count) {
                return memory.append(contentsOf: bytes)
            }
            descriptor = try directory.openNameless()
            let beginning = memory
            memory = []
            defer { SpoolMemory.give(back: beginning.count) }
            try beginning[...].withBytes { (bytes) throws(DiskError) in try write(bytes, upTo: size) }
        }
        try write(bytes, upTo: end)
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer, upTo end: Int64) throws(DiskError) {
        if end > allowedSize {
            try directory.require(end - allowedSize)
            allowedSize = end + Self.roomStep
        }
        try Self.writeAll(bytes, to: descriptor, path: directory.path)
    }

    package consuming func finish() -> SpooledMessage {
        directory.faults.reach(.afterSpoolWrite)
        let (digest, fingerprint) = digests.finalize()
        let content: SpooledContent
        if descriptor < 0 {
            content = SpooledContent(memory)
            memory = []
        } else {
            content = SpooledContent(descriptor, size: size, directory: directory.path)
            descriptor = -1
        }
        return SpooledMessage(content: content, digest: digest, fingerprint: fingerprint)
    }

    /// write(2) until all is written.
    package static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String
    ) throws(DiskError) {
        guard SystemCall.writeAll(bytes, { Glibc.write(descriptor, $0.baseAddress, $0.count) }) else {
            throw DiskError("write", path)
        }
    }
}

/// The memory that spooled messages of this process take: a source may fetch many ahead.
enum SpoolMemory {
    static let maxBytes = 32 << 20

    private static let used = Atomic(0)

    /// False when there is no room: the message goes to a file.
    static func take(_ bytes: Int) -> Bool {
        if used.add(bytes, ordering: .relaxed).newValue <= maxBytes { return true }
        give(back: bytes)
        return false
    }

    static func give(back bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
}
